"""Many predicates on each plain type: `= != < <= > >= IN NOT IN BETWEEN IS NULL LIKE OR`, values present and absent."""

from fixtures.choice import asking_the_grid, by_readers
from fixtures.claims import hold
from subjects.tables import PLAIN, over
from xtable_audit.claims import planning, reading

every_column = (asking_the_grid(), over(*PLAIN))
every_reader = (asking_the_grid(), by_readers(), over(*PLAIN))

test_every_matching_file_is_planned = hold(planning.every_matching_file_is_planned, *every_column)
test_rows_are_those_of_the_files = hold(reading.rows_are_those_of_the_files, *every_reader)
test_every_matching_file_is_read = hold(reading.every_matching_file_is_read, *every_reader)

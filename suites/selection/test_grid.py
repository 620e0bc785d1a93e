"""Many predicates on each plain type: `= != < <= > >= IN NOT IN BETWEEN IS NULL LIKE OR`, values present and absent."""

from fixtures.claims import hold
from fixtures.over import by_grid_columns, by_readers, over
from lab.subjects.groups import PLAIN, each_target
from xtable_audit.claims.readers import planning, reading

every_column = (by_grid_columns(), over(each_target(PLAIN)))
every_reader = (by_grid_columns(), by_readers(), over(each_target(PLAIN)))

test_every_matching_file_is_planned = hold(planning.every_matching_file_is_planned, *every_column)
test_rows_are_those_of_the_files = hold(reading.rows_are_those_of_the_files, *every_reader)
test_every_matching_file_is_read = hold(reading.every_matching_file_is_read, *every_reader)

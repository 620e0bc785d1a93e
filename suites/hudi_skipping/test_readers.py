"""The published predicate on Iceberg's readers, over XTable's translation of rows that Hudi's reader also reads."""

from fixtures.choice import asking, by_readers
from fixtures.claims import hold
from subjects.questions import ZIP
from subjects.tables import TWINS_OF_HUDI, over
from xtable_audit.claims import reading

published = (asking(ZIP), by_readers(), over(*TWINS_OF_HUDI))

test_rows_are_those_of_the_files = hold(reading.rows_are_those_of_the_files, *published)
test_only_planned_files_are_read = hold(reading.only_planned_files_are_read, *published)

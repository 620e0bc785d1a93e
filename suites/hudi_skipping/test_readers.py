"""The published predicate on Iceberg's readers, over XTable's translation of rows that Hudi's reader also reads."""

from fixtures.claims import hold
from fixtures.over import by_questions, by_readers, over
from lab.subjects.groups import BY_COLUMN_STATISTICS, ZIP
from xtable_audit.claims.readers import reading

published = (by_questions(ZIP), by_readers(), over(BY_COLUMN_STATISTICS))

test_rows_are_those_of_the_files = hold(reading.rows_are_those_of_the_files, *published)
test_only_planned_files_are_read = hold(reading.only_planned_files_are_read, *published)

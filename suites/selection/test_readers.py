"""What real readers return and which files they read, by the store's request log."""

from fixtures.claims import hold
from fixtures.over import by_questions, by_readers, over
from lab.subjects.groups import PUBLISHED, TRANSLATED_WELL, each_target
from xtable_audit.claims.readers import reading

every_reader = (by_questions(), by_readers(), over(each_target(PUBLISHED)))
reporting_live = (by_questions(), by_readers(reporting="live"), over(each_target(PUBLISHED)))
reporting_planned = (by_questions(), by_readers(reporting="planned"), over(each_target(PUBLISHED)))

test_rows_are_those_of_the_files = hold(reading.rows_are_those_of_the_files, *every_reader)
test_every_matching_file_is_read = hold(reading.every_matching_file_is_read, *every_reader)
test_only_planned_files_are_read = hold(reading.only_planned_files_are_read, *every_reader)
test_as_many_files_are_read_as_of_native = hold(
    reading.as_many_files_are_read_as_of_native, by_questions(), by_readers(), over(TRANSLATED_WELL)
)
test_every_live_file_is_listed = hold(reading.every_live_file_is_listed, *reporting_live)
test_planned_files_are_the_judges = hold(reading.planned_files_are_the_judges, *reporting_planned)
test_planned_files_are_read = hold(reading.planned_files_are_read, *reporting_planned)
test_newest_metadata_is_read = hold(
    reading.newest_metadata_is_read,
    by_questions("month"),
    by_readers(),
    over("good_layout-xtable", "bad_layout-xtable"),
)

"""The files that the judge's planner keeps by the metadata, against the matching files."""

from fixtures.claims import hold
from fixtures.over import by_questions, over
from lab.subjects.groups import BADLY_LAID_OUT, PUBLISHED, TRANSLATED_WELL, WELL_LAID_OUT, each_target
from xtable_audit.claims.readers import planning

test_every_matching_file_is_planned = hold(
    planning.every_matching_file_is_planned, by_questions(), over(each_target(PUBLISHED))
)
test_only_matching_files_are_planned = hold(
    planning.only_matching_files_are_planned, by_questions(), over(each_target(WELL_LAID_OUT))
)
test_planning_equals_native = hold(planning.planning_equals_native, by_questions(), over(TRANSLATED_WELL))
test_negative_control_matches_every_file = hold(
    planning.negative_control_matches_every_file, by_questions(), over(each_target(BADLY_LAID_OUT))
)

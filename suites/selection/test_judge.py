"""The files that the judge's planner keeps by the metadata, against the matching files."""

from fixtures.choice import asking
from fixtures.claims import hold
from subjects.tables import BADLY_LAID_OUT, PUBLISHED, TRANSLATED_WELL, WELL_LAID_OUT, over
from xtable_audit.claims import planning

test_every_matching_file_is_planned = hold(planning.every_matching_file_is_planned, asking(), over(*PUBLISHED))
test_only_matching_files_are_planned = hold(planning.only_matching_files_are_planned, asking(), over(*WELL_LAID_OUT))
test_planning_equals_native = hold(planning.planning_equals_native, asking(), over(*TRANSLATED_WELL))
test_negative_control_matches_every_file = hold(
    planning.negative_control_matches_every_file, asking(), over(*BADLY_LAID_OUT)
)

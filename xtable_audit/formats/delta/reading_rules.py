"""What claims about planners and readers rest on in Delta's protocol."""

from __future__ import annotations

from xtable_audit.model.rules import QUOTED
from xtable_audit.model.target_rules import Rule

SKIPPING = (
    'Delta protocol, Per-file Statistics: "These statistics can be used for eliminating files based on query '
    'predicates or as inputs to query optimization."'
)
OF_REQUESTS = Rule(f"{SKIPPING}; by the store's own request log")
PLANNED = (
    *("every_matching_file_is_planned", "only_matching_files_are_planned", "no_matching_file_is_dropped"),
    *("planners_agree", "reader_can_read_the_table", "rows_are_those_of_the_files"),
)
READING = {
    **dict.fromkeys(PLANNED, Rule(SKIPPING)),
    "every_matching_file_is_read": OF_REQUESTS,
    "only_planned_files_are_read": OF_REQUESTS,
    "planned_files_are_the_judges": Rule(f"{SKIPPING}; by the reader's own account of its plan"),
    **dict.fromkeys(("newest_metadata_is_read", "metadata_and_data_files_can_be_read"), Rule(QUOTED["delta-commit"])),
}
"""By claim."""

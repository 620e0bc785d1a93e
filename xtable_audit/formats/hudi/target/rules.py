"""What Hudi's specification and documentation rule where they differ from what claims say of Iceberg."""

from __future__ import annotations

from xtable_audit.model.rules import QUOTED
from xtable_audit.model.target_rules import Rule, TargetRules, only_icebergs

SCHEMA = "Hudi schema, HoodieMetadataColumnStats"
SKIPPING = QUOTED["hudi-column-statistics"]
OF_REQUESTS = Rule(f"{SKIPPING}; by the store's own request log")
BOUNDS = (
    f'{SCHEMA}: minValue, "Minimum value in the range. Based on user data table schema, we can convert this to '
    'appropriate type"; maxValue likewise'
)
OPTIONAL = "Hudi spec, Column Statistics: statistics are optional; a file without them is read for every predicate"
VALUES = f'{SCHEMA}: valueCount, "Total count of values"'
NULLS = f'{SCHEMA}: nullCount, "Total count of null values"'
PATHS = (
    "Hudi docs, Key Generation: a partition path has a level for each partition column, which is `value`, or "
    "`column=value` with hive-style partitioning; it is decoded only with urlencode"
)
FILES = (
    'Hudi docs, Table Metadata: "Hudi tracks the file listings so they are readily available for readers/writers '
    'without listing the folders containing the data files"'
)
SIZE = f"{FILES}, with their sizes"
PLANNED = (
    *("every_matching_file_is_planned", "only_matching_files_are_planned", "no_matching_file_is_dropped"),
    *("planners_agree", "reader_can_read_the_table", "rows_are_those_of_the_files"),
)
RULES = {
    **dict.fromkeys(PLANNED, Rule(SKIPPING)),
    "every_matching_file_is_read": OF_REQUESTS,
    "only_planned_files_are_read": OF_REQUESTS,
    "planned_files_are_the_judges": Rule(f"{SKIPPING}; by the reader's own account of its plan"),
    **dict.fromkeys(("newest_metadata_is_read", "metadata_and_data_files_can_be_read"), Rule(FILES)),
}
"""By claim."""
OF_STATES = {
    "bounds_contain_values": Rule(BOUNDS),
    "bounds_are_of_the_columns_type": Rule(BOUNDS),
    "bounds_are_tight": Rule(BOUNDS),
    "bounds_are_present": Rule(OPTIONAL),
    "points_skip_what_exact_bounds_would": Rule(OPTIONAL),
    "value_counts_are_exact": Rule(VALUES, "valueCount is the number of values of the column, with the nulls"),
    "record_counts_are_exact": Rule(
        "Hudi, HoodieWriteStat: numWrites, the records that a commit wrote to a file",
        "numWrites is the number of rows of the file",
    ),
    "null_counts_are_exact": Rule(NULLS),
    "tuples_equal_every_row": Rule(PATHS, "the partition path has the value of every row"),
    "spec_is_the_configured_one": Rule(PATHS),
    "every_file_exists": Rule(FILES),
    "sizes_are_exact": Rule(SIZE, "the size in the file listing is the size of the file"),
}
"""By claim, and by the claim about the state after each earlier sync."""
AFTER = "_after_a_sync"
SILENT = {id: words for id, words in only_icebergs("Hudi", "Hudi").items() if id != "value_counts_are_exact"}
TERMS = {
    "record_count": "numWrites",
    "value_count": "valueCount",
    "null_count": "nullCount",
    "file_size_in_bytes": "size",
    "tuple": "partition path",
    "manifest": "timeline",
    "snapshot": "instant",
}
HUDI_RULES = TargetRules(
    "hudi",
    RULES | OF_STATES | {f"{id}{AFTER}": rule.after("after every sync") for id, rule in OF_STATES.items()},
    SILENT | {f"{id}{AFTER}": words for id, words in SILENT.items()},
    TERMS,
    one_proof=True,
    plans_by_counts=False,
)

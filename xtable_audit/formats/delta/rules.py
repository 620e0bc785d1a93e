"""What Delta's protocol rules where it differs from what claims say of Iceberg."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from xtable_audit.model.rules import QUOTED
from xtable_audit.model.scalars import Mask
from xtable_audit.model.target_rules import Rule, Side, TargetRules, only_icebergs

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


KEPT = 32
"""Characters that Delta's writers keep of a longer text; the last of an upper bound may be raised, or one added."""
MILLISECOND = 999
"""Microseconds that a timestamp loses where it is cut down to milliseconds."""
OPTIONAL = (
    "Delta protocol, Per-file Statistics: statistics are optional; a file without them is read for every predicate"
)
BOUNDS = (
    'Delta protocol, Per-file Statistics: minValues, "A value that is equal to the smallest valid value present in the '
    'file for this column", with wide bounds one "less than or equal to all valid values"; maxValues likewise; "String '
    'columns are cut off at a fixed prefix length. Timestamp columns are truncated down to milliseconds."'
)
MIRROR = (
    'Delta protocol, Per-file Statistics: "Per-column statistics record information for each column in the file and '
    'they are encoded, mirroring the schema of the actual data."'
)
ROWS = 'Delta protocol, Per-file Statistics: numRecords, "The number of records in this data file."'
NULLS = (
    'Delta protocol, Per-file Statistics: nullCount, "The number of `null` values for this column"; with wide bounds '
    "it says all or none alone"
)
PARTITION_VALUES = (
    'Delta protocol, Add File and Remove File: partitionValues, "A map from partition column to value for this logical '
    'file"'
)
PARTITION_TEXTS = (
    'Delta protocol, Partition Value Serialization: "Partition values are stored as strings, using the following '
    'formats"'
)
SIZE = 'Delta protocol, Add File and Remove File: size, "The size of this data file in bytes"'
COMMIT = QUOTED["delta-commit"]
AFTER = "_after_a_sync"
RULES = {
    "bounds_contain_values": Rule(BOUNDS),
    "bounds_are_of_the_columns_type": Rule(MIRROR),
    "bounds_are_tight": Rule(BOUNDS),
    "bounds_are_present": Rule(OPTIONAL),
    "points_skip_what_exact_bounds_would": Rule(OPTIONAL),
    "record_counts_are_exact": Rule(ROWS, "numRecords is the number of rows of the file"),
    "null_counts_are_exact": Rule(NULLS),
    "tuples_equal_every_row": Rule(PARTITION_VALUES, "the partition value equals every row's value"),
    "spec_is_the_configured_one": Rule(PARTITION_VALUES),
    "every_file_exists": Rule(QUOTED["delta-path"]),
    "sizes_are_exact": Rule(SIZE, "size is the size of the file"),
}
"""By claim, and by the claim about the state after each earlier sync."""
SILENT = only_icebergs("Delta", "Delta's protocol")
TERMS = {
    "record_count": "numRecords",
    "null_count": "nullCount",
    "file_size_in_bytes": "size",
    "tuple": "partition value",
    "manifest": "log",
    "snapshot": "version",
}


class DeltaRules(TargetRules):
    """Bounds of texts are cut to 32 characters, or to more."""

    def are_truncated(self, bounds: pa.ChunkedArray, values: pa.ChunkedArray, side: Side) -> Mask:
        pairs = zip(bounds.to_pylist(), values.to_pylist(), strict=True)
        return np.array([_is_cut(bound, value, side) for bound, value in pairs], dtype=bool)


def _is_cut(bound: str | bytes, value: str | bytes, side: Side) -> bool:
    if len(value) <= KEPT:
        return False
    if side == "lower":
        return len(bound) >= KEPT and value[: len(bound)] == bound
    return value[: KEPT - 1] == bound[: KEPT - 1]


DELTA_RULES = DeltaRules(
    "delta",
    READING | RULES | {f"{id}{AFTER}": rule.after("after every sync") for id, rule in RULES.items()},
    SILENT | {f"{id}{AFTER}": words for id, words in SILENT.items()},
    TERMS,
    MILLISECOND,
    one_proof=True,
)

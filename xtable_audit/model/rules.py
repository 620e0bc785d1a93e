"""The rules that claims rest on: sentences of specifications, quoted, and the sections that have them.

Quoted from the Iceberg table spec as it stood on READ_ON.
"""

from __future__ import annotations

from datetime import date

READ_ON = date(2026, 11, 22)
ICEBERG = "https://iceberg.apache.org/spec/"
SECTIONS = {
    "Iceberg spec, Schemas and Data Types": f"{ICEBERG}#schemas-and-data-types",
    "Iceberg spec, Schema Evolution": f"{ICEBERG}#schema-evolution",
    "Iceberg spec, Column Projection": f"{ICEBERG}#column-projection",
    "Iceberg spec, Partitioning": f"{ICEBERG}#partitioning",
    "Iceberg spec, Manifests": f"{ICEBERG}#manifests",
    "Iceberg spec, Scan Planning": f"{ICEBERG}#scan-planning",
    "Iceberg spec, Table Metadata": f"{ICEBERG}#table-metadata",
    "Iceberg spec, Appendix D": f"{ICEBERG}#appendix-d-single-value-serialization",
}
"""Section -> its anchor."""

BOUNDS = (
    'Iceberg spec, Manifests: lower_bounds, "Each value must be less than or equal to all non-null, non-NaN values in '
    'the column for the file"; upper_bounds likewise'
)
NO_NAN = 'Iceberg spec, Manifests: "NaNs are not permitted as lower or upper bounds"'
TOTAL_ORDER = 'Iceberg spec, Manifests: "the value -0.0 must precede +0.0, as in the IEEE 754 totalOrder predicate"'
OPTIONAL_BOUNDS = "Iceberg spec, Manifests: lower_bounds and upper_bounds are optional; without them no file is skipped"
OPTIONAL_TIGHT = "Iceberg spec, Manifests: bounds may be wider than the values; the wider, the fewer files are skipped"
RECORD_COUNT = 'Iceberg spec, Manifests: record_count, "Number of records in this file"'
VALUE_COUNTS = (
    'Iceberg spec, Manifests: value_counts, "number of values in the column (including null and NaN values)"; optional'
)
NULL_COUNTS = 'Iceberg spec, Manifests: null_value_counts, "number of null values in the column"; optional'
NAN_COUNTS = 'Iceberg spec, Manifests: nan_value_counts, "number of NaN values in the column"; optional'
TUPLES = (
    'Iceberg spec, Partitioning: "Partition values for a data file must be the same for all records stored in the data '
    'file"'
)
FILE_PATH = 'Iceberg spec, Manifests: file_path, "Full URI for the file with FS scheme"'
FILE_SIZE = 'Iceberg spec, Manifests: file_size_in_bytes, "Total file size in bytes"'
UNIQUE_IDS = (
    'Iceberg spec, Schemas and Data Types: each field "is named and has an integer id that is unique in the table '
    'schema"'
)
STABLE_IDS = 'Iceberg spec, Schema Evolution: "Renaming an existing field must change the name, but not the field ID"'
NAME_MAPPING = (
    'Iceberg spec, Column Projection: "Use schema.name-mapping.default metadata to map field id to columns without '
    'field id"'
)
REQUIRED = (
    'Iceberg spec, Schemas and Data Types: "Each field can be either optional or required, meaning that values can (or '
    'cannot) be null"'
)
SCAN = "Iceberg spec, Scan Planning: a scan skips a file only if its metadata rules out every matching row"


def link_of(rule: str) -> str | None:
    """The anchor of the section that a rule begins with; None for a rule that is not of the Iceberg spec."""
    return SECTIONS.get(rule.partition(":")[0])


SECTIONS |= {
    "Iceberg spec, Sorting": f"{ICEBERG}#sorting",
    "Iceberg spec, Sequence Numbers": f"{ICEBERG}#sequence-numbers",
    "Iceberg spec, Snapshots": f"{ICEBERG}#snapshots",
    "Iceberg spec, Manifest Lists": f"{ICEBERG}#manifest-lists",
    "Iceberg spec, Appendix F": f"{ICEBERG}#optional-snapshot-summary-fields",
}
FILE_FORMAT = 'Iceberg spec, Manifests: file_format, "String file format name, `avro`, `orc`, `parquet`, or `puffin`"'
COLUMN_SIZES = (
    'Iceberg spec, Manifests: column_sizes, "Map from column id to the total size on disk of all regions that store '
    'the column"; optional'
)
SORT_ORDERS = 'Iceberg spec, Sorting: "the table must declare all the sort orders for lookup"'
SNAPSHOT_SCHEMA = (
    'Iceberg spec, Snapshots: schema-id, "ID of the table\'s current schema when the snapshot was created"; optional'
)
SNAPSHOT_ORDER = (
    'Iceberg spec, Snapshots: sequence-number, "A monotonically increasing long that tracks the order of changes to a '
    'table"; Table Metadata: last-sequence-number, "The table\'s highest assigned sequence number"'
)
SEQUENCE_NUMBERS = (
    'Iceberg spec, Sequence Numbers: "All manifests, data files, and delete files created for a snapshot inherit the '
    "snapshot's sequence number\""
)
MAIN = (
    'Iceberg spec, Table Metadata: current-snapshot-id "must be the same as the current ID of the `main` branch in '
    '`refs`"'
)
SNAPSHOT_LOG = (
    'Iceberg spec, Table Metadata: snapshot-log, "Each time the current-snapshot-id is changed, a new entry should be '
    'added with the last-updated-ms and the new current-snapshot-id"'
)
SUMMARY = (
    'Iceberg spec, Appendix F: "Snapshot summary can include metrics fields to track numeric stats of the snapshot"; '
    "optional"
)
MANIFEST_COUNTS = (
    'Iceberg spec, Manifest Lists: added_files_count, "Number of entries in the manifest that have status `ADDED` '
    '(1)"; the other counts likewise'
)
MANIFEST_LENGTH = 'Iceberg spec, Manifest Lists: manifest_length, "Length of the manifest file in bytes"'

"""The rules that claims and findings rest on: sentences of specifications and documentation, with sections.

Quoted as they stood on the day that READ_ON names.
"""

from __future__ import annotations

from datetime import date

READ_ON = {
    "Iceberg spec": date(2026, 11, 22),
    "Puffin spec": date(2026, 11, 23),
    "Parquet format": date(2026, 11, 23),
    "Delta protocol": date(2026, 11, 23),
    "Hudi spec": date(2026, 11, 23),
    "Hudi schema": date(2026, 11, 23),
    "XTable docs": date(2026, 11, 23),
    "XTable README": date(2026, 11, 28),
    "RFC 8259": date(2026, 11, 24),
}
ICEBERG = "https://iceberg.apache.org/spec/"
PUFFIN = "https://iceberg.apache.org/puffin-spec/"
PARQUET = (
    "https://github.com/apache/parquet-format/blob/24102ed5c56e51b610a4897e5f79e76e43732d1d/src/main/thrift"
    "/parquet.thrift"
)
DELTA = "https://github.com/delta-io/delta/blob/00a891a8cb8c04638636a88f96eb0b6641041734/PROTOCOL.md"
HUDI = "https://hudi.apache.org/tech-specs-1point0/"
HUDI_SCHEMA = (
    "https://github.com/apache/hudi/blob/03e9f9d2b2d64b1a27bb8700fd2962107ee8415c/hudi-common/src/main/avro"
    "/HoodieMetadata.avsc"
)
SECTIONS = {
    "Iceberg spec, Schemas and Data Types": f"{ICEBERG}#schemas-and-data-types",
    "Iceberg spec, Schema Evolution": f"{ICEBERG}#schema-evolution",
    "Iceberg spec, Column Projection": f"{ICEBERG}#column-projection",
    "Iceberg spec, Partitioning": f"{ICEBERG}#partitioning",
    "Iceberg spec, Partition Transforms": f"{ICEBERG}#partition-transforms",
    "Iceberg spec, Manifests": f"{ICEBERG}#manifests",
    "Iceberg spec, Scan Planning": f"{ICEBERG}#scan-planning",
    "Iceberg spec, Table Metadata": f"{ICEBERG}#table-metadata",
    "Iceberg spec, Appendix C": f"{ICEBERG}#appendix-c-json-serialization",
    "Iceberg spec, Appendix D": f"{ICEBERG}#appendix-d-single-value-serialization",
    "Parquet format, Statistics": f"{PARQUET}#L267",
    "Parquet format, ColumnOrder": f"{PARQUET}#L1103",
    "Delta protocol, Add File and Remove File": f"{DELTA}#add-file-and-remove-file",
    "Delta protocol, Delta Log Entries": f"{DELTA}#delta-log-entries",
    "Delta protocol, Column Mapping": f"{DELTA}#reader-requirements-for-column-mapping",
    "Delta protocol, Generated Columns": f"{DELTA}#generated-columns",
    "Delta protocol, Deletion Vectors": f"{DELTA}#reader-requirements-for-deletion-vectors",
    "Delta protocol, Per-file Statistics": f"{DELTA}#per-file-statistics",
    "Delta protocol, Partition Value Serialization": f"{DELTA}#partition-value-serialization",
    "Delta protocol, Protocol Evolution": f"{DELTA}#protocol-evolution",
    "Hudi spec, Actions": f"{HUDI}#actions",
    "Hudi spec, Column Statistics": f"{HUDI}#column-statistics",
    "Hudi schema, HoodieMetadataColumnStats": HUDI_SCHEMA,
    "RFC 8259, Objects": "https://www.rfc-editor.org/rfc/rfc8259#section-4",
    "XTable docs, Limitations": "https://xtable.apache.org/docs/features-and-limitations#general",
    "XTable docs, Parquet": "https://xtable.apache.org/docs/features-and-limitations",
    "XTable docs, Delta": "https://xtable.apache.org/docs/features-and-limitations#delta",
    "XTable README": "https://github.com/apache/incubator-xtable/blob/0.4.0-incubating-rc2/README.md#running-the-bundled-jar",
}
"""Section -> its anchor."""

BOUNDS = (
    'Iceberg spec, Manifests: lower_bounds, "Each value must be less than or equal to all non-null, non-NaN values in '
    'the column for the file"; upper_bounds likewise'
)
SINGLE_VALUE = (
    'Iceberg spec, Manifests: lower_bounds, "Map from column id to lower bound in the column serialized as binary"; '
    "upper_bounds likewise; Appendix D has the bytes of each type"
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
DELETED_FIELDS = (
    'Iceberg spec, Schema Evolution: "Schemas may be evolved by type promotion or adding, deleting, renaming, or '
    "reordering fields in structs\"; the translated schema is the source's, without what the source has dropped"
)
NAME_MAPPING = (
    'Iceberg spec, Column Projection: "Use schema.name-mapping.default metadata to map field id to columns without '
    'field id"'
)
REQUIRED = (
    'Iceberg spec, Schemas and Data Types: "Each field can be either optional or required, meaning that values can (or '
    'cannot) be null"'
)
SCAN = "Iceberg spec, Scan Planning: a scan skips a file only if its metadata rules out every matching row"


QUOTED = {
    "iceberg-name-mapping": NAME_MAPPING,
    "iceberg-columns-by-id": (
        "Iceberg spec, Column Projection: \"Columns in Iceberg data files are selected by field id. The table schema's "
        'column names and order may change after a data file is written, and projection must be done using field ids."'
    ),
    "iceberg-spec-of-a-file": (
        "Iceberg spec, Manifests: \"A manifest stores files for a single partition spec. When a table's partition spec "
        'changes, old files remain in the older manifest and newer files are written to a new manifest."'
    ),
    "iceberg-null-partition": (
        'Iceberg spec, Partition Transforms: "All transforms must return null for a null input value."'
    ),
    "iceberg-last-column-id": (
        'Iceberg spec, Table Metadata: last-column-id, "the highest assigned column ID for the table. This is used to '
        'ensure columns are always assigned an unused ID when evolving schemas."'
    ),
    "parquet-statistics-optional": 'Parquet format, Statistics: "All fields are optional."',
    "parquet-nan": 'Parquet format, ColumnOrder: "If the min is a NaN, it should be ignored." (the same of the max)',
    "parquet-byte-order": 'Parquet format, ColumnOrder: "BYTE_ARRAY - unsigned byte-wise comparison"',
    "parquet-int96": (
        'Parquet format, ColumnOrder: "It is optional for writers to emit statistics for INT96 columns."; without an '
        'order of their own "readers should ignore all statistics" of them'
    ),
    "delta-path": (
        'Delta protocol, Add File and Remove File: path "is a URI as specified by RFC 2396 URI Generic Syntax, which '
        'needs to be decoded to get the data file path"'
    ),
    "delta-absolute-path": (
        'Delta protocol, Add File and Remove File: path is "A relative path to a data file from the root of the table '
        'or an absolute path to a file that should be added to the table."'
    ),
    "delta-commit": (
        'Delta protocol, Delta Log Entries: the file of version v "contains an atomic set of actions that should be '
        "applied to the previous table state corresponding to version v-1, in order to construct the vth snapshot of "
        'the table"'
    ),
    "delta-statistics-optional": (
        'Delta protocol, Per-file Statistics: actions "can optionally contain statistics about the data in the file"'
    ),
    "delta-statistics-truncated": (
        'Delta protocol, Per-file Statistics: "String columns are cut off at a fixed prefix length. Timestamp columns '
        'are truncated down to milliseconds."'
    ),
    "delta-maximum": (
        'Delta protocol, Per-file Statistics: maxValues, "A value that is equal to the largest valid value present in '
        'the file for this column."'
    ),
    "delta-column-mapping": (
        'Delta protocol, Column Mapping: in name mode "readers must resolve columns in the data files by their '
        'physical names"; "Partition values and column level statistics will also be resolved by their physical names"'
    ),
    "delta-generated-column": (
        'Delta protocol, Generated Columns: "Writers MUST enforce that any data writing to the table satisfy the '
        'condition `(<value> <=> <generation expression>) IS TRUE`"'
    ),
    "delta-deletion-vectors": (
        'Delta protocol, Deletion Vectors: records that a deletion vector invalidates "must not be returned in the '
        'output"'
    ),
    "hudi-rollback": (
        'Hudi spec, Actions: rollback, "the changes made by the corresponding commit/delta commit were unsuccessful & '
        'hence rolled back"; of the rollback of a commit that was successful, which Hudi does too, it has no sentence'
    ),
    "hudi-restore": (
        'Hudi spec, Actions: restore, "the table was restored to a particular savepoint, physically removing data '
        'written after that savepoint"'
    ),
    "hudi-column-statistics": (
        'Hudi spec, Column Statistics: "It contains statistics (min/max/nullCount) of columns for all the records in '
        'the table. This enables fine-grained file pruning for filters and join conditions in the query."'
    ),
    "hudi-tight-bound": (
        'Hudi schema, HoodieMetadataColumnStats: isTightBound, "Whether the min/max range of a column is tight bound '
        'or not"'
    ),
    "xtable-base-files-only": (
        'XTable docs, Limitations: "Only Copy-on-Write or Read-Optimized views of tables are currently supported. This '
        "means that only the underlying parquet files are synced but log files from Hudi and delete vectors from Delta "
        'and Iceberg are not captured by the sync."'
    ),
    "xtable-field-ids": (
        'XTable docs, Delta: "you may require field IDs set in the parquet schema. To enable that, follow the '
        'instructions for enabling column mapping"'
    ),
    "xtable-data-path": (
        'XTable README: tableDataPath, "the path to the data files. If not specified, the tableBasePath will be used. '
        'For Iceberg source tables, you will need to specify the `/data` path."'
    ),
    "xtable-parquet-paths": (
        'XTable docs, Parquet: in the words of xtable#937, which adds the section after 0.4.0, "Hive-style partition '
        'columns existing only in directory paths cannot be synthesized or typed by XTable"'
    ),
}
"""Rules that findings name beside that of their claim, and limits that a project documents, by name."""


def link_of(rule: str) -> str | None:
    """The anchor of the section that a rule begins with; None for a rule that is of no specification."""
    return SECTIONS.get(rule.partition(":")[0])


SECTIONS |= {
    "Iceberg spec, Sorting": f"{ICEBERG}#sorting",
    "Iceberg spec, Sequence Numbers": f"{ICEBERG}#sequence-numbers",
    "Iceberg spec, Snapshots": f"{ICEBERG}#snapshots",
    "Iceberg spec, Manifest Lists": f"{ICEBERG}#manifest-lists",
    "Iceberg spec, Appendix F": f"{ICEBERG}#optional-snapshot-summary-fields",
}
SECTIONS |= {
    "Puffin spec, deletion-vector-v1 blob type": f"{PUFFIN}#deletion-vector-v1-blob-type",
    "Iceberg spec, Delete Formats": f"{ICEBERG}#delete-formats",
    "Iceberg spec, Deletion Vectors": f"{ICEBERG}#deletion-vectors",
    "Iceberg spec, Position Delete Files": f"{ICEBERG}#position-delete-files",
    "Iceberg spec, Equality Delete Files": f"{ICEBERG}#equality-delete-files",
    "Iceberg spec, Field-level Metrics and Statistics": f"{ICEBERG}#field-level-metrics-and-statistics",
}
SECTIONS |= {
    "Iceberg spec, Row Lineage": f"{ICEBERG}#row-lineage",
    "Iceberg spec, Row Lineage for Upgraded Tables": f"{ICEBERG}#row-lineage-for-upgraded-tables",
    "Iceberg spec, First Row ID Assignment": f"{ICEBERG}#first-row-id-assignment",
    "Iceberg spec, Snapshot Row IDs": f"{ICEBERG}#snapshot-row-ids",
}
ROW_ID = 'Iceberg spec, Row Lineage: _row_id, "a unique long identifier for every row within the table"'
NEXT_ROW_ID = (
    'Iceberg spec, Table Metadata: "The `next-row-id` must always be higher than any assigned row ID in the table."'
)
MANIFEST_ROW_IDS = (
    'Iceberg spec, Row Lineage for Upgraded Tables: "When writing the manifest list, all data manifests must be '
    'assigned a `first_row_id`"; First Row ID Assignment: "The value of `first_row_id` for delete manifests is always '
    '`null`."'
)
FIRST_MANIFEST = (
    'Iceberg spec, First Row ID Assignment: "The first manifest without a `first_row_id` is assigned a value that is '
    'greater than or equal to the `first_row_id` of the snapshot."'
)
SNAPSHOT_ROW_IDS = (
    "Iceberg spec, Snapshot Row IDs: \"A snapshot's `first-row-id` is assigned to the table's current `next-row-id` on "
    'each commit attempt."'
)
ADDED_ROWS = (
    "Iceberg spec, Snapshot Row IDs: \"The snapshot's `added-rows` captures the upper bound of the number of rows with "
    'assigned row IDs."'
)
LAST_UPDATED = (
    'Iceberg spec, Row Lineage: _last_updated_sequence_number, "the sequence number of the commit that last updated a '
    'row"'
)
SECTIONS |= {
    "Iceberg spec, Table Statistics": f"{ICEBERG}#table-statistics",
    "Iceberg spec, Partition Statistics": f"{ICEBERG}#partition-statistics",
    "Iceberg spec, Partition Statistics File": f"{ICEBERG}#partition-statistics-file",
}
STATISTICS_PATH = 'Iceberg spec, Table Statistics: statistics-path, "Path of the statistics file."'
STATISTICS_SIZE = (
    'Iceberg spec, Table Statistics: file-size-in-bytes, "Size of the statistics file."; file-footer-size-in-bytes, '
    '"Total size of the statistics file\'s footer (not the footer payload size)."'
)
STATISTICS_SNAPSHOT = (
    "Iceberg spec, Table Statistics: snapshot-id, \"ID of the Iceberg table's snapshot the statistics file is "
    'associated with."'
)
STATISTICS_BLOBS = 'Iceberg spec, Table Statistics: type, "Type of the blob. Matches Blob type in the Puffin file."'
ONE_PARTITION_STATISTICS = (
    'Iceberg spec, Partition Statistics: "Each table snapshot may be associated with at most one partition statistics '
    'file."'
)
PARTITION_STATISTICS = (
    'Iceberg spec, Partition Statistics File: data_record_count, "Count of records in data files"; the other counts '
    "likewise"
)
PARTITION_STATISTICS_SORTED = (
    'Iceberg spec, Partition Statistics File: "These rows must be sorted (in ascending manner with NULL FIRST) by '
    '`partition` field"'
)
DELETE_COUNT = (
    'Iceberg spec, Manifests: record_count, "Number of records in this file, or the cardinality of a deletion vector"'
)
DELETE_METRICS = (
    'Iceberg spec, Field-level Metrics and Statistics: "For delete files, metrics must store bounds and counts for all '
    'deleted rows, or must be omitted."'
)
REFERENCED = (
    'Iceberg spec, Manifests: referenced_data_file, "Fully qualified location (URI with FS scheme) of a data file that '
    'all deletes reference"'
)
DELETES_SORTED = (
    'Iceberg spec, Position Delete Files: "The rows in the delete file must be sorted by `file_path` then `pos`"'
)
POSITIONS = (
    'Iceberg spec, Position Delete Files: pos, "Ordinal position of a deleted row in the target data file identified '
    'by `file_path`, starting at `0`"'
)
DELETE_SCOPE = (
    "Iceberg spec, Scan Planning: a position delete file or deletion vector is applied to a data file of its path if "
    "\"The data file's partition (both spec and partition values) is equal\" to its own and the file's sequence number "
    '"less than or equal to" its own'
)
NO_POSITIONS_IN_3 = (
    'Iceberg spec, Delete Formats: "Position delete files must not be added to v3 tables, but existing position delete '
    'files are valid."'
)
EQUALITY_IDS = (
    'Iceberg spec, Manifests: equality_ids, "Required when `content=2` and should be null otherwise. Fields with ids '
    'listed in this column must be present in the delete file"'
)
EQUALITY_COLUMNS = (
    'Iceberg spec, Equality Delete Files: "The column restrictions for columns used in equality delete files are the '
    'same as those for identifier fields"; of these, "Float, double, and optional fields cannot be used"'
)
VECTOR_PLACE = (
    'Iceberg spec, Manifests: content_offset and content_size_in_bytes "are required and must exactly match the '
    '`offset` and `length` stored in the Puffin footer for the deletion vector blob"'
)
VECTOR_CARDINALITY = (
    'Puffin spec, deletion-vector-v1 blob type: "Include `cardinality`, the number of deleted rows (set positions) in '
    'the delete vector"'
)
VECTOR_FILE = 'Iceberg spec, Delete Formats: "Deletion vector metadata must include the referenced data file."'
VECTOR_LIVE = (
    'Iceberg spec, Delete Formats: "When removing a data file, writers must also remove any deletion vector that '
    'applies to that data file from delete manifests."'
)
ONE_VECTOR = 'Iceberg spec, Deletion Vectors: "At most one deletion vector is allowed per data file in a snapshot."'
VECTOR_MERGED = (
    'Iceberg spec, Deletion Vectors: a vector "must replace all previously written position delete files so that when '
    'a DV is present, readers can safely ignore matching position delete files"'
)
FILE_FORMAT = 'Iceberg spec, Manifests: file_format, "String file format name, `avro`, `orc`, `parquet`, or `puffin`"'
COLUMN_SIZES = (
    'Iceberg spec, Manifests: column_sizes, "Map from column id to the total size on disk of all regions that store '
    'the column"; optional'
)
SPLIT_OFFSETS = (
    'Iceberg spec, Manifests: split_offsets, "Split offsets for the data file. For example, all row group offsets in a '
    'Parquet file. Must be sorted ascending"; optional'
)
SORT_ORDERS = 'Iceberg spec, Sorting: "the table must declare all the sort orders for lookup"'
SORTED = (
    'Iceberg spec, Sorting: "The information on how the data is sorted can be declared per data or delete file, by a '
    'sort order."'
)
SNAPSHOT_SCHEMA = (
    'Iceberg spec, Snapshots: schema-id, "ID of the table\'s current schema when the snapshot was created"; optional'
)
MANIFEST_LIST = (
    'Iceberg spec, Snapshots: manifest-list, "The location of a manifest list for this snapshot that tracks manifest '
    'files with additional metadata"'
)
OPERATION = (
    'Iceberg spec, Snapshots: operation, "`append` -- Only data files were added and no files were removed"; `replace` '
    '-- "without changing table data"; `delete` -- "Data files were removed and their contents logically deleted '
    'and/or delete files were added to delete rows"'
)
PARENT = (
    "Iceberg spec, Snapshots: parent-snapshot-id, \"The snapshot ID of the snapshot's parent. Omitted for any snapshot "
    'with no parent"'
)
LAST_IDS = (
    'Iceberg spec, Table Metadata: last-column-id, "the highest assigned column ID for the table. This is used to '
    'ensure columns are always assigned an unused ID when evolving schemas"; last-partition-id likewise'
)
TABLE_UUID = (
    "Iceberg spec, Table Metadata: table-uuid, \"Implementations must throw an exception if a table's UUID does not "
    'match the expected UUID after refreshing metadata"'
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
TUPLE_IDS = (
    'Iceberg spec, Manifests: partition, "Partition data tuple, schema based on the partition spec output using '
    'partition field ids for the struct field ids"'
)
MANIFEST_HEADER = (
    'Iceberg spec, Manifests: partition-spec, "JSON representation of only the partition fields array of the partition '
    'spec used to write the manifest"; schema, "JSON representation of the table schema at the time the manifest was '
    'written"'
)
MANIFEST_LENGTH = 'Iceberg spec, Manifest Lists: manifest_length, "Length of the manifest file in bytes"'
JSON_TYPES = (
    'Iceberg spec, Appendix C: "Table metadata is serialized as a JSON object according to the following table", with '
    'a "JSON int" or "JSON long" for each number; Table Metadata lists the fields that are required'
)
JSON_NAMES = (
    'RFC 8259, Objects: "When the names within an object are not unique, the behavior of software that receives such '
    'an object is unpredictable."'
)

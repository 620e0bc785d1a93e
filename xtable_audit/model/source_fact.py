"""Facts about a source table: the vocabulary in which the register says what leads to a finding.

A reader of sources (`xtable_audit.affected`) answers each with yes, no, or open. Closed: a new fact is one member here
and its answer there.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, get_args

Format = Literal["hudi", "delta", "parquet", "paimon", "iceberg"]
FORMATS: tuple[str, ...] = get_args(Format)

LEAF_TYPES = (
    "boolean", "byte", "short", "int", "long", "float", "double", "decimal", "string", "bytes", "fixed", "date",
    "timestamp", "timestamp_ntz", "time", "uint32", "uint64", "other",
)  # fmt: skip
"""Types of leaf columns, whatever the format calls them: Delta's `binary` is bytes, Avro's `timestamp-millis` is a
timestamp (see ColumnFact.MILLISECONDS). The unsigned ones are of a folder of Parquet files alone, and time of Iceberg,
too."""


class ColumnPlace(StrEnum):
    """Where a leaf column is. Columns inside lists and maps have no bounds, and are not looked at."""

    TOP = "top"
    """At the top level, in the data files."""
    STRUCT = "struct"
    """Inside a struct, in the data files."""
    PARTITION = "partition"
    """A partition column, whether or not the data files hold it."""


class ColumnFact(StrEnum):
    """What the footers of the live files, or the statistics in Delta's log or in Paimon's manifests, show of one leaf
    column. What is said of bounds in footers holds of those in Iceberg's and Paimon's manifests: of these formats no
    footer is read."""

    NAN = "NaN"
    """Footers: a row group's bound is NaN, or it has float values and no bounds, which Parquet leaves out for NaN."""
    NO_BOUNDS = "values without bounds"
    """Footers: a row group holds values and no bounds, as Parquet does with long ones."""
    BOUNDS = "bounds"
    """Footers: a row group has them."""
    PART_BOUNDS = "values without bounds in one row group and bounds in another"
    """Footers: of a file's row groups that hold values, some have bounds and some have none."""
    NO_NULL_COUNT = "no null count"
    """Footers: a row group has none."""
    NULLS = "nulls alone"
    """Footers: a row group holds nulls alone."""
    NULL_FILE = "nulls alone in a file"
    """Footers: a file holds nulls alone."""
    NULL_GROUP = "nulls alone in a row group and zero beyond the bounds of others"
    """Footers: a row group holds nulls alone, and the values of its file are all above or all below zero."""
    LOST_DAYS = "a bound in the ten days that 1582 skipped"
    """Footers: a bound from 1582-10-05 to 1582-10-14."""
    YEAR_10000 = "a bound after 9999-12-31"
    """Footers: an upper bound of five digits in its year."""
    ORDER_UTF16 = "row groups whose order differs in UTF-16"
    """Footers: merging the bounds of a file's row groups by UTF-16 does not give the bounds by UTF-8."""
    ORDER_SIGNED = "row groups whose order differs in signed bytes"
    """Footers: merging the bounds of a file's row groups by signed bytes does not give the bounds by unsigned ones."""
    INT96 = "INT96"
    """Footers: the physical type."""
    MILLISECONDS = "milliseconds"
    """Footers: the unit of a timestamp. Paimon: its precision, in the schema, is 3 or less."""
    NANOSECONDS = "nanoseconds"
    """Footers: the unit of a timestamp."""
    SUB_MILLISECOND = "an upper bound within a millisecond"
    """Footers: an upper bound in microseconds that is no whole millisecond. Open where the column is INT96."""
    MILLISECOND_PART = "an upper bound that has milliseconds"
    """Footers: a file's upper bound in microseconds is a millisecond or more above a whole second."""
    BEFORE_1582 = "a bound before 1582-10-15"
    """Footers: a bound in microseconds before the first day of the Gregorian calendar."""
    BEFORE_1970 = "a bound before 1970 within a second"
    """Footers: a file's lower or upper bound in microseconds, before 1970, is no whole second."""
    DOUBLE_DIGITS = "a decimal that a double rounds to more digits than its column has"
    """Footers: a bound such as 99999999999999.9999, whose double is 100000000000000."""
    MANIFEST_CUT = "a text cut in the manifests"
    """Iceberg: a bound of a string is as long as its writer keeps (16 characters, or what write.metadata.metrics.* asks
    for), so that it may be cut."""
    NARROWER = "a narrower type in a file"
    """Footers: a file holds values of it as int or float, and the table's newest schema as long or double."""
    LOG_NAN = "NaN in the log"
    """Delta's log: a bound is NaN."""
    LOG_DIGITS = "more than 15 digits in the log"
    """Delta's log: a decimal bound has more than 15 significant digits."""
    LOG_CUT = "a text cut in the log"
    """Delta's log: an upper bound of a string ends in U+FFFD, with which Delta marks a text that it has cut."""
    LOG_NO_MAXIMUM = "no maximum in the log"
    """Delta's log: a live file's statistics have no maximum of the column, although the file holds the column."""
    MANIFEST_COUNTED = "statistics in the manifests"
    """Paimon's manifests: a live file's statistics have the column."""
    MANIFEST_NO_MINIMUM = "no minimum in the manifests"
    """Paimon's manifests: a live file's statistics have the column, and no minimum of it: all of its values are null,
    or of a type that Paimon does not compare."""
    MANIFEST_BELOW_ZERO = "a minimum below zero in the manifests"
    """Paimon's manifests: a live file's statistics have one. Of TINYINT and SMALLINT alone."""


class TableFact(StrEnum):
    """What a table's settings, timeline or log, files and the configuration of XTable show."""

    FROM_INDEX = "statistics from the index"
    """Hudi: a partitioned table's metadata table has `column_stats`, which XTable prefers to the footers. A condition
    on columns beside it holds of those that the index lists; where no list is kept, before Hudi 1, it is open."""
    FROM_FOOTERS = "statistics from the footers"
    """Hudi: there is no such index, or the table is unpartitioned."""
    FROM_EITHER = "statistics from the footers or the index"
    """Hudi: always. A condition on columns beside it holds, where they are from the index, of those that it lists."""
    INDEX_UNPARTITIONED = "index of an unpartitioned table"
    """Hudi: an unpartitioned table's metadata table has `column_stats`, in which XTable finds none of its files."""
    INDEX_LEAVES_OUT = "index that leaves out a column"
    """Hudi: the index's own list (Hudi 1.x keeps one) lacks a column. Open where no list is kept."""
    INDEX_OF_LEAVES = "index of leaves of structs alone"
    """Hudi: the index's own list names no top-level column. Open where no list is kept."""
    INDEX_ADDED = "index added later"
    """Hudi: the metadata table was there before its column stats index."""
    ENCODED_PATH = "encoded partition path"
    """A live file's path holds an encoded character (%2F): Hudi with url-encoded partition paths, Delta and Paimon
    always."""
    NO_URI_PATH = "partition path that a URI encodes"
    """Hudi: the folder of a live file has a character that URIs have encoded, such as a blank or a percent sign, or a
    colon in its first part, which would end a URI's scheme. Iceberg: so of its path. Paimon: so of its folder once
    decoded, as XTable writes it."""
    ABSOLUTE_PATH = "file named by another address"
    """Delta: the log names a live file by an address that does not begin with the table's: a shallow clone's files."""
    EMPTY_STRING = "empty string as a partition value"
    """Hudi: files in the default partition hold values, not nulls, of its string column."""
    NAME_IN_VALUE = "partition value that begins with its column's name"
    """Hudi: without hive-style paths, a folder is called `<column>=…`."""
    NESTED_PARTITION = "partition field inside a struct"
    """Hudi: a partition field has a dot."""
    NO_SPEC = "no partition spec"
    """XTable's configuration names no partitionSpec for a partitioned table. Open without a configuration."""
    OTHER_SPEC = "partition spec of other fields"
    """partitionSpec does not name the table's partition fields in their order. Open without a configuration."""
    SPEC_OF_TIME = "partition spec of another unit or time zone"
    """partitionSpec has a date transform, and paths are not in UTC, of a 12-hour clock, or coarser than it."""
    SPEC_OF_TYPE = "partition spec of another type"
    """partitionSpec has a date column as VALUE, or a date transform of a string or long column."""
    SPEC_BY_TIME = "partition spec of a date transform"
    """partitionSpec has YEAR, MONTH, DAY or HOUR. Open without a configuration. Iceberg: the table's own has it."""
    SPEC_DATE_AS_VALUE = "partition spec of a date as VALUE"
    """partitionSpec has a date column as VALUE. Open without a configuration."""
    SPEC_IN_STRUCT = "partition spec of a field inside a struct"
    """partitionSpec has a field with a dot as VALUE. Open without a configuration."""
    SCHEMA_CHANGED = "schema changed"
    """Hudi: of two schemas on the timeline, one after the other, one has a column that the other has not, or that has
    another type there. Iceberg and Paimon: so of the schemas that the metadata keeps."""
    COLUMNS_DROPPED = "several columns dropped"
    """The schemas on Hudi's timeline or in Delta's log drop two leaf columns or more, at once or one by one."""
    ADDED_AGAIN = "column added again"
    """Hudi: the schemas on the timeline drop a column and bring its name back. Iceberg: two columns of the schemas that
    the metadata keeps have one name."""
    NEWEST_DROPPED = "newest column dropped"
    """Delta, with column mapping: all ids of a schema in the log are below one of an earlier schema, or below
    delta.columnMapping.maxColumnId.
    """
    NO_BLIND_APPEND = "commit without isBlindAppend"
    """Delta: the commit of a live file, or the newest, does not say whether it is a blind append, which the protocol
    leaves to its writer. Open where a checkpoint is all that is left of a commit.
    """
    RETURNED = "live file that an earlier commit removed"
    """Delta: a commit removed it, and a later one added it again, as RESTORE does. Open where the log begins with a
    checkpoint.
    """
    CLEAN_BY_VERSIONS = "clean by file versions"
    """Hudi: a clean on the timeline has no earliestCommitToRetain, as under KEEP_LATEST_FILE_VERSIONS."""
    SEVERAL_COMMITS = "several commits"
    """Hudi: two completed writes, compactions or clusterings or more."""
    OVERWRITE_INTO_NEW = "table overwritten into a new partition"
    """Hudi: an insert_overwrite_table on the timeline wrote into a partition in which it replaced nothing."""
    MAP = "map column"
    """The newest schema has a map that is in no list and no other map. Iceberg: at the top."""
    LIST = "list column"
    """The newest schema has a list that is in no map and no other list. Iceberg: at the top."""
    LOGS = "log files"
    """Hudi: log files that no base file has taken in."""
    LOGS_BEFORE = "log files before"
    """Hudi: a commit on the timeline wrote log files."""
    EMPTY_FILE = "file without rows"
    """Footers: a live file has no rows."""
    NO_LOG = "no log"
    """Parquet: always. Which files the table has, and when they came, is what a listing of its folder says."""
    HIDDEN = "Parquet files that engines do not look at"
    """Parquet: a name that ends in `parquet` begins with a dot or an underscore, or is below such a folder."""
    REPEATED = "list or map column"
    """Parquet, footers: a file has columns inside a list or a map."""
    NULLABLE = "nullable column"
    """Parquet, footers: a column at the top is not REQUIRED. Open where that is so of some files alone: XTable takes
    the schema of one of them."""
    PATH_ALONE = "partition column in paths alone"
    """Parquet: a folder is called `<column>=…`, no file has that column, and XTable's configuration has no
    partitionSpec. Open without a configuration."""
    SPEC_AS_VALUE = "partition spec of a column as VALUE"
    """Parquet: partitionSpec has a field as VALUE. Open without a configuration."""
    CLOSE_COMMITS = "commits within a minute"
    """Delta: a commit begins less than a minute after the one before, by the clocks of their writers, which the log
    has. A file's own time is later by what the commit took. Open where the log has no times, or begins with a
    checkpoint."""
    DELETION_VECTOR = "deletion vector"
    """Delta: a live file has one."""
    COLUMN_MAPPING = "column mapping"
    """Delta: delta.columnMapping.mode is name or id."""
    OTHER_NAMES = "columns of other names in the files"
    """Delta, with column mapping: a column's physical name is not its own."""
    RENAMED = "renamed column"
    """Delta: the log has renamed a column. Open where the log begins with a checkpoint. Iceberg: a column of the newest
    schema has another name in one of those that the metadata keeps."""
    STATS_IN_LOG = "statistics in the log"
    """Delta: a live file has a maximum of some column under its own name."""
    STATS_IN_MANIFESTS = "statistics in the manifests"
    """Paimon: a live file has statistics of some column. Of a table with a primary key, a compacted file."""
    NO_STATS_IN_MANIFESTS = "a file without statistics in the manifests"
    """Paimon: a live file has none. Of a table with a primary key, a compacted file."""
    NESTED_STATS = "statistics of all columns beside a struct, a list or a map"
    """Paimon: a live file's statistics name no columns, since they are of all, and the newest schema has a struct, a
    list, a map or a multiset."""
    STATS_OF_MORE = "statistics of more or fewer columns than the newest schema has"
    """Paimon: a live file's statistics name no columns, and are of another number than the newest schema has."""
    STATS_OF_OTHERS = "statistics of other columns than the newest schema has"
    """Paimon: a live file's statistics name no columns, are of as many as the newest schema has, and at some place of
    another one, by its id."""
    UNCOMPACTED = "files that are not compacted"
    """Paimon: a table with a primary key has live files below the last level."""
    NULL_PARTITION = "partition of null"
    """Paimon: a live file's partition has a null."""
    FIELD_IDS = "columns with field ids"
    """Iceberg and Paimon: always."""
    OLDER_SPEC = "files of an older partition spec"
    """Iceberg: a live file was written under another partition spec than the newest one."""
    FIELD_SINCE = "files of before a partition field"
    """Iceberg: a live file was written under a partition spec that lacks a field of the newest one."""
    OTHER_FIELDS = "partitioned by other columns before"
    """Iceberg: a file of a snapshot that the metadata keeps was written under a partition spec that is by other columns
    than the newest one, whatever becomes of their values, or by the same in another order."""
    ROLLED_BACK = "rolled back"
    """Iceberg: by its log the table was at a snapshot that the current one does not come from."""
    NULL_BY_TIME = "null in a partition by year, month, day or hour"
    """Iceberg: a live file's partition has one."""
    DELETE_FILES = "delete files"
    """Iceberg: the current snapshot has some, deletion vectors too."""
    SPEC_BY_BUCKET = "partition spec of buckets"
    """Iceberg: the table's own has a bucket."""
    SPEC_BY_TRUNCATE = "partition spec of truncate"
    """Iceberg: the table's own has it."""
    NAME_REFUSED = "column name that Delta refuses"
    """Iceberg: the name of a column of the newest schema has a blank, a comma, a semicolon, a brace, a parenthesis, an
    equals sign, a tab or a line break."""
    SCHEMA_AHEAD = "schema newer than the newest snapshot"
    """Iceberg: the table's schema has a column that the newest snapshot's has not, by its id and name."""

"""Tables whose rows are deleted: by Spark in every kind that the format knows, and by Trino and DuckDB."""

from __future__ import annotations

import pyarrow as pa

from spark_jobs.battery.table import File, Write, file
from tests.other_writers.entry import AddWithDefault, DeleteByValue, Entry, rows
from tests.other_writers.histories import batch

NESTED = {"id": pa.int32(), "place": pa.struct([("city", pa.string())])}

READ = dict.fromkeys((f"write.{one}.mode" for one in ("delete", "update", "merge")), "merge-on-read")
STEPS = (
    batch(0),
    batch(100),
    "DELETE FROM {table} WHERE id IN (3, 12, 25)",
    "UPDATE {table} SET x = -0.0, p = 'c' WHERE id IN (20, 21, 105)",
    "DELETE FROM {table} WHERE id = 4",
    batch(200),  # newer than the deletes above
    "DELETE FROM {table} WHERE id % 50 = 7",
)
BY_POSITION = Entry(
    "deletes_by_position",
    STEPS,
    (("p", "identity"),),
    READ | {"format-version": "2", "write.delete.granularity": "partition"},
)
BY_POSITION_OF_FILE = Entry(
    "deletes_by_position_of_file", STEPS, properties=READ | {"format-version": "2", "write.delete.granularity": "file"}
)
BY_VECTOR = Entry("deletes_by_vector", STEPS, (("p", "identity"),), READ | {"format-version": "3"})
UPGRADED = Entry(
    "deletes_of_both_versions",
    (
        *STEPS[:3],
        "ALTER TABLE {table} SET TBLPROPERTIES ('format-version' = '3')",
        "DELETE FROM {table} WHERE id IN (5, 106)",
        batch(300),
    ),
    properties=READ | {"format-version": "2"},
)
BY_VALUE = Entry(
    "deletes_by_value",
    (
        batch(0),
        batch(100),
        DeleteByValue("id", (3, 12, 105, 9999), 0, ("a",)),  # 12 is in another partition
        "DELETE FROM {table} WHERE id = 5",
        DeleteByValue("id", (14,), 0, ("b",)),
        batch(0),  # newer: its rows live
    ),
    (("p", "identity"),),
    READ | {"format-version": "2"},
)
BY_VALUE_OF_ALL = Entry(
    "deletes_by_value_of_all_partitions",
    (
        batch(0),
        "ALTER TABLE {table} ADD PARTITION FIELD p",
        batch(100),
        DeleteByValue("id", (3, 12, 105, 114), 0),  # of an unpartitioned spec: it applies to every partition
        DeleteByValue("id", (4, 101, 113), 1, ("a",)),  # of files of that spec alone
    ),
    properties=READ | {"format-version": "2"},
    repartitioned=(("p", "identity"),),
)
IN_AVRO, IN_ORC = (
    Entry(f"deletes_in_{kind}", STEPS, properties=READ | {"format-version": "2", "write.delete.format.default": kind})
    for kind in ("avro", "orc")
)
DELETED = (BY_POSITION, BY_POSITION_OF_FILE, BY_VECTOR, UPGRADED, BY_VALUE, BY_VALUE_OF_ALL, IN_AVRO, IN_ORC)

FORMATS = Entry(
    "formats",
    (
        batch(0),
        "ALTER TABLE {table} SET TBLPROPERTIES ('write.format.default' = 'orc')",
        batch(100),
        "ALTER TABLE {table} SET TBLPROPERTIES ('write.format.default' = 'avro')",
        batch(200),
    ),
)
VERSION_3 = Entry("version_3", (batch(0), batch(100)), (("p", "identity"),), {"format-version": "3"})
DEFAULTS = Entry(
    "version_3_defaults",
    (
        rows(NESTED, file(id=[1, 2, 3], place=[{"city": "a"}, None, {"city": None}])),
        AddWithDefault("number", "LongType", 5),
        AddWithDefault("word", "StringType", "five"),
        AddWithDefault("day", "DateType", "2024-02-29"),
        AddWithDefault("zip", "IntegerType", 55, parent="place"),
        "INSERT INTO {table} VALUES (4, named_struct('city', 'b', 'zip', 56), 6, NULL, DATE '2024-03-01')",
    ),
    properties={"format-version": "3"},
)


# Tables whose rows Trino and DuckDB delete and update, sort, and describe in statistics, each in its own SQL.

TYPES = {"id": pa.int64(), "p": pa.string(), "x": pa.float64()}


def some(start: int, part: str | None) -> File:
    """Ten rows from `start` on, one value missing."""
    ids = list(range(start, start + 10))
    return file(id=ids, p=part, x=[None, *(n / 4 for n in ids[1:])])


BATCH: Write = rows(TYPES, some(0, "a"), some(10, "b"), some(20, None))
BY_PART, UNPARTITIONED = (("p", "identity"),), ()
DELETES = ("DELETE FROM {table} WHERE id IN (3, 12, 25)", "UPDATE {table} SET x = 0.5 WHERE id IN (20, 21)")
AGAIN = "DELETE FROM {table} WHERE id = 4"
WIDER = "ALTER TABLE {table} ADD COLUMN note varchar"

CHANGED = (
    Entry("rows_deleted", (BATCH, *DELETES, AGAIN), BY_PART),
    Entry("rows_deleted_unpartitioned", (BATCH, *DELETES, AGAIN), UNPARTITIONED),
    Entry(
        "columns_changed",
        (BATCH, WIDER, "INSERT INTO {table} VALUES (70, 'c', 7.5, 'seen'), (71, 'c', NULL, NULL)", *DELETES),
        BY_PART,
    ),
)
"""By either."""
ANALYSED = Entry("analysed", (BATCH, *DELETES, "ANALYZE {table}"), BY_PART)
SORTED = Entry(
    "sorted_by_trino",
    (
        BATCH,
        "ALTER TABLE {table} SET PROPERTIES sorted_by = ARRAY['x DESC NULLS LAST', 'id']",
        "INSERT INTO {table} SELECT id + 100, p, x FROM {table}",
        "ALTER TABLE {table} EXECUTE optimize",
    ),
)
REPARTITIONED = Entry(
    "repartitioned_by_trino",
    (
        BATCH,
        "ALTER TABLE {table} SET PROPERTIES partitioning = ARRAY['p', 'bucket(id, 4)']",
        "INSERT INTO {table} SELECT id + 100, p, x FROM {table}",
        "DELETE FROM {table} WHERE id IN (3, 112)",
    ),
    BY_PART,
    repartitioned=(("p", "identity"), ("id", "bucket[4]")),
)
CHANGED_BY_TRINO = (*CHANGED, ANALYSED, SORTED, REPARTITIONED)

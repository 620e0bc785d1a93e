"""Tables whose rows Trino and DuckDB delete and update, sort, and describe in statistics, each in its own SQL."""

from __future__ import annotations

import pyarrow as pa

from spark_jobs.battery.table import File, Write, file
from tests.native.entry import Entry, rows

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

"""Tables whose metadata says more than their files: row ids, statistics, branches and tags, sort orders."""

from __future__ import annotations

import pyarrow as pa

from spark_jobs.battery.table import file
from tests.other_writers.deletes import BY_VALUE, READ, STEPS
from tests.other_writers.entry import Entry, PartitionStatistics, rows
from tests.other_writers.histories import batch

BY_PART = (("p", "identity"),)
IN_3 = READ | {"format-version": "3"}
REWRITTEN = "CALL native.system.rewrite_data_files(table => '{name}', options => map('rewrite-all', 'true'))"
MANIFESTS = "CALL native.system.rewrite_manifests('{name}')"

LINEAGE = Entry(
    "row_lineage",
    (
        *STEPS,
        MANIFESTS,
        "DELETE FROM {table} WHERE id = 9",
        REWRITTEN,
        batch(300),
        "DELETE FROM {table} WHERE id = 301",
    ),
    BY_PART,
    IN_3,
)
MOVED_UP = Entry(
    "row_lineage_of_an_upgraded_table",
    (
        batch(0),
        batch(100),
        MANIFESTS,
        "ALTER TABLE {table} SET TBLPROPERTIES ('format-version' = '3')",
        batch(200),
        "DELETE FROM {table} WHERE p = 'a' AND id < 100",
        "ALTER TABLE {table} CREATE BRANCH beside",
        "INSERT INTO {table}.branch_beside SELECT id + 5000, p, x, at FROM {table}",
        batch(300),
    ),
    BY_PART,
    {"format-version": "2"},
)
BRANCHES = Entry(
    "branches_and_tags",
    (
        batch(0),
        "ALTER TABLE {table} CREATE TAG first RETAIN 30 DAYS",
        "ALTER TABLE {table} CREATE BRANCH beside RETAIN 7 DAYS WITH SNAPSHOT RETENTION 2 SNAPSHOTS 3 DAYS",
        "INSERT INTO {table}.branch_beside SELECT id + 5000, p, x, at FROM {table}",
        batch(100),
        "DELETE FROM {table} WHERE id = 3",
    ),
    BY_PART,
    READ | {"format-version": "2"},
)
NUMBERS = "CALL native.system.compute_table_stats(table => '{name}')"
COUNTED = Entry("statistics", (*STEPS, NUMBERS, PartitionStatistics()), BY_PART, READ | {"format-version": "2"})
COUNTED_IN_3 = Entry(
    "statistics_of_version_3",
    (*STEPS[:-1], NUMBERS, PartitionStatistics(), STEPS[-1], NUMBERS, PartitionStatistics()),
    BY_PART,
    IN_3,
)
COUNTED_VALUES = Entry(
    "statistics_with_deletes_by_value", (*BY_VALUE.steps, PartitionStatistics()), BY_PART, BY_VALUE.properties
)
COUNTED_SPECS = Entry(
    "statistics_of_two_specs",
    (
        batch(0),
        "ALTER TABLE {table} ADD PARTITION FIELD bucket(4, id)",
        batch(100),
        "ALTER TABLE {table} DROP PARTITION FIELD p",
        batch(200),
        PartitionStatistics(),
    ),
    BY_PART,
    repartitioned=(("id", "bucket[4]"),),
)
VOID = Entry(
    "version_1_void",
    (
        batch(0),
        "ALTER TABLE {table} DROP PARTITION FIELD p",
        batch(100),
        "ALTER TABLE {table} ADD PARTITION FIELD truncate(id, 10)",
        batch(200),
    ),
    BY_PART,
    {"format-version": "1"},
    repartitioned=(("p", "void"), ("id", "truncate[10]")),
)
SORTED = Entry(
    "sorted",
    (
        batch(0),
        "ALTER TABLE {table} WRITE ORDERED BY p DESC NULLS LAST, bucket(4, id), x",
        "INSERT INTO {table} SELECT id + 1000, p, x, at FROM {table}",
        REWRITTEN.replace("options", "strategy => 'sort', sort_order => 'id DESC', options"),
        "INSERT INTO {table} SELECT id + 3000, p, x, at FROM {table}",
    ),
)
INTERLEAVED = Entry(
    "interleaved",
    (rows({"id": pa.int32(), "x": pa.float64()}, *(file(id=[*range(n, 80, 4)], x=20 * [n / 4]) for n in range(4))),),
)
"""Each file has ids from the whole table."""
DESCRIBED = (
    LINEAGE,
    MOVED_UP,
    BRANCHES,
    COUNTED,
    COUNTED_IN_3,
    COUNTED_VALUES,
    COUNTED_SPECS,
    VOID,
    SORTED,
    INTERLEAVED,
)

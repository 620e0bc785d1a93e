"""edge_*: how many rows a file has, how many partitions, files and commits a table, and when the commits were."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import pyarrow as pa

from spark_jobs.battery.delta import NO_VECTORS
from spark_jobs.battery.edges import PARTED, delta_edge, edge, rows
from spark_jobs.battery.table import BatteryTable, File, Operation, Step, file, sql, write

ROUND = (10, 20, 100)
"""Rows of a file: numbers that a writer's batches and row groups are often made of."""
NUMBERED = {"i": pa.int32(), "l": pa.int64(), "d": pa.float64(), "s": pa.string(), "day": pa.date32()}
INTS = {"p": pa.int32(), "i": pa.int32(), "s": pa.string()}
PARTS = 12
"""Partitions of the Hudi table."""
PARTS_OF_DELTA = 101
FILES_IN_ONE = 20
"""In one partition of the Hudi table."""


def counted(start: int, count: int) -> File:
    """Rows whose values, of every column of NUMBERED, count up from `start`."""
    values = range(start, start + count)
    return file(
        i=values,
        l=[10**12 + value for value in values],
        d=[value / 2 for value in values],
        s=[f"s{value:04d}" for value in values],
        day=list(values),
    )


def round_counts(operation: Operation) -> tuple[Step, ...]:
    """Files of ten and of twenty rows, then one of a hundred and one more of ten."""
    ten, twenty, hundred = ROUND
    return (
        write(operation, NUMBERED, counted(0, ten), counted(50, twenty), words="files of ten and twenty rows"),
        write(
            operation,
            NUMBERED,
            counted(100, hundred),
            counted(300, ten),
            words="files of a hundred and ten rows",
            prefix="n",
        ),
    )


def in_partition(p: int, number: int) -> File:
    return file(p=[p], i=[number], s=[f"s{number:04d}"])


def many_parts(operation: Operation, parts: Sequence[int], files_in_one: int) -> tuple[Step, ...]:
    """A file in each partition, of which one has more; then a file more in two, and one in a new partition."""
    first = [in_partition(p, 10 * number) for number, p in enumerate(parts)]
    more = [in_partition(parts[0], 5000 + number) for number in range(1, files_in_one)]
    later = (in_partition(parts[0], 9000), in_partition(parts[-1], 9001), in_partition(max(parts) + 1, 9002))
    return (
        write(operation, INTS, *first, *more, words=f"{len(parts)} partitions, {len(first) + len(more)} files"),
        write(operation, INTS, *later, words="a file more in the first, the last and a new one", prefix="n"),
    )


def nothing_between(operation: Operation) -> tuple[Step, ...]:
    """Commits without a row between others: one that a sync sees alone, and one that it sees with the next."""
    return (
        write(operation, PARTED, rows("a", 0, 2), rows("b", 10, 2), words="two rows in a, two in b"),
        write(operation, PARTED, rows("a", 0, 0), words="no row"),
        write(operation, PARTED, rows("c", 20, 2), words="two rows in c"),
        write(operation, PARTED, rows("a", 0, 0), words="no row", staged=False),
        write(operation, PARTED, rows("a", 30, 2), words="two rows more in a"),
    )


TABLES: tuple[BatteryTable, ...] = (
    BatteryTable("edge_round_counts", "Files of 10, 20 and 100 rows.", round_counts("bulk_insert")),
    delta_edge("round_counts", "Files of 10, 20 and 100 rows.", *round_counts("append")),
    BatteryTable(
        "edge_many_parts",
        f"{PARTS} partitions by integers of both signs, {FILES_IN_ONE} files in one of them, then one partition more.",
        many_parts("bulk_insert", [3 * number - 10 for number in range(PARTS)], FILES_IN_ONE),
        partition_by=("p",),
        partition_spec="p:VALUE",
    ),
    delta_edge(
        "many_parts",
        f"{PARTS_OF_DELTA} partitions by integers of both signs, then one more.",
        *many_parts("append", range(-50, PARTS_OF_DELTA - 50), 1),
        partition_by=("p",),
    ),
    edge("nothing_between", "Commits without a row between others.", *nothing_between("bulk_insert")),
    delta_edge(
        "nothing_between",
        "Commits without a file between others: without a row, and of a property of the table.",
        *nothing_between("append"),
        sql("ALTER TABLE {table} SET TBLPROPERTIES ('battery.edge' = 'nothing')", "a property", staged=False),
        write("append", PARTED, rows("b", 40, 2), words="two rows more in b"),
        sql("ALTER TABLE {table} SET TBLPROPERTIES ('battery.edge' = 'again')", "a property alone"),
        write("append", PARTED, rows("d", 50, 2), words="two rows in d"),
        options=NO_VECTORS,
        partition_by=("part",),
    ),
    dataclasses.replace(
        edge(
            "one_second",
            "Five commits in one second, a millisecond apart: one by one, and two between two syncs.",
            write("bulk_insert", PARTED, rows("a", 0, 2), rows("b", 10, 2), words="two rows in a, two in b"),
            write("bulk_insert", PARTED, rows("c", 20, 2), words="two rows in c"),
            write("upsert", PARTED, rows("a", 0, 1), words="an update in a", staged=False),
            write("bulk_insert", PARTED, rows("d", 30, 2), words="two rows in d"),
            write("upsert", PARTED, rows("b", 10, 1), words="an update in b"),
        ),
        in_one_second=True,
    ),
    dataclasses.replace(
        delta_edge(
            "one_second",
            "Two commits in one second before a sync, and three in another one before the next.",
            write("append", PARTED, rows("a", 0, 2), rows("b", 10, 2), words="two rows in a, two in b", staged=False),
            write("append", PARTED, rows("c", 20, 2), words="two rows in c"),
            write("append", PARTED, rows("d", 30, 2), words="two rows in d", staged=False),
            sql("UPDATE {table} SET i = 99 WHERE record_key = 'k0000'", "a row of a gets another value", staged=False),
            write("append", PARTED, rows("a", 40, 2), words="two rows more in a"),
            partition_by=("part",),
        ),
        in_one_second=True,
    ),
    dataclasses.replace(
        delta_edge(
            "same_second",
            "Commits in the second of one that a sync has seen, and then one in a second of its own.",
            write("append", PARTED, rows("a", 0, 2), rows("b", 10, 2), words="two rows in a, two in b"),
            write("append", PARTED, rows("c", 20, 2), words="two rows in c, in that second", staged=False),
            sql("DELETE FROM {table} WHERE record_key = 'k0010'", "a row of b is deleted, in that second"),
            write("append", PARTED, rows("d", 30, 2), words="two rows in d, in a later second"),
            partition_by=("part",),
        ),
        in_synced_second=2,
    ),
)

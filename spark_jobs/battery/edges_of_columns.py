"""edge_*: columns at the edges: how many, by what names, at which depth, dropped and added again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pyarrow as pa

from spark_jobs.battery.delta import NO_VECTORS
from spark_jobs.battery.edges import delta_edge, edge
from spark_jobs.battery.fewer_columns import DROP
from spark_jobs.battery.schema_changes import widening
from spark_jobs.battery.table import File, Step, file, sql, write
from spark_jobs.battery.variants import INDEX

MAPPED = {"delta.columnMapping.mode": "name"} | NO_VECTORS
PART = {"part": pa.string()}
NUMBERS = 40
"""More columns than the 32 that Delta and Hudi 1.x keep statistics of by themselves."""
OVER_HUNDRED = 120
"""More columns than the 100 that Iceberg's own writers keep metrics of by themselves."""
OVER_THOUSAND = 1010
BY_HUDI = ("Upper", "camelCase", "UPPER_CASE", "größe", "名前", "_underscore", "x1")
BY_DELTA = ("Upper", "camelCase", "with.dot", "größe", "名前", "dash-ed", "5digits", "😀")
BY_MAPPING = ("with blank", " in front", "a,b", "a=b", "a;b", "(a)", "with.dot", "Größe")
INNER = pa.struct([("n", pa.int32()), ("in", pa.struct([("n", pa.int32())]))])


def numbered(count: int) -> dict[str, pa.DataType]:
    return {f"c{number:04d}": pa.int32() for number in range(1, count + 1)}


def wide(count: int, start: int, part: str | None = None) -> File:
    """Two rows, in which each column has values of its own."""
    first = {} if part is None else {"part": part}
    return file(**first, **{name: [start + number, start + number + 1] for number, name in enumerate(numbered(count))})


def named(names: tuple[str, ...], start: int) -> File:
    return file(**{name: [start + number, start + number + 1] for number, name in enumerate(names)})


def typed(names: tuple[str, ...]) -> dict[str, pa.DataType]:
    return dict.fromkeys(names, pa.int32())


def depths(start: int) -> File:
    """The name `n` in the table, in a struct and in a struct of it, with other values at each depth."""
    return file(n=[start, start + 1], st=[{"n": start + k, "in": {"n": start + k + 1}} for k in (100, 200)])


def with_columns(part: str, key: str, columns: Mapping[str, tuple[pa.DataType, Any]], *, staged: bool = True) -> Step:
    """A row in a partition of its own, with these columns beside the partition's."""
    return write(
        "bulk_insert",
        PART | {name: type_ for name, (type_, _) in columns.items()},
        file(record_key=[key], part=part, **{name: [value] for name, (_, value) in columns.items()}),
        words=f"columns {', '.join(columns)}",
        staged=staged,
    )


def seen_at_once(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The same events, of which XTable's first sync sees all."""
    return (*(replace(one, staged=False) for one in steps[:-1]), steps[-1])


NULLABLE = {"i": pa.int32(), "s": pa.string()}


CREATED = sql("CREATE TABLE {table} (record_key STRING, i INT NOT NULL, s STRING) USING delta", "created", staged=False)
A_NULL = write("append", NULLABLE, file(i=[None], s=["s3"]), words="a null")


KEEP, X, S, Z = (pa.int32(), 1), (pa.int32(), 7), (pa.string(), "s1"), (pa.float64(), 1.5)
I_S = {"i": pa.int32(), "s": pa.string(), "d": pa.float64()}
I_S_ROW = {"i": [1, 2], "s": ["s1", "s2"], "d": [1.5, 2.5]}
AGAIN = {"i": [5, 6], "s": ["s5", "s6"], "d": [5.5, 6.5]}

TABLES = (
    edge(
        "hundred_columns",
        f"{OVER_HUNDRED} columns.",
        write("bulk_insert", PART | numbered(OVER_HUNDRED), wide(OVER_HUNDRED, 0, "a"), wide(OVER_HUNDRED, 500, "b")),
    ),
    edge(
        "thousand_columns",
        f"{OVER_THOUSAND} columns.",
        write(
            "bulk_insert", PART | numbered(OVER_THOUSAND), wide(OVER_THOUSAND, 0, "a"), wide(OVER_THOUSAND, 5000, "b")
        ),
    ),
    edge(
        "index_limit",
        f"{NUMBERS} columns, of which Hudi's column index holds the first 32. Written by Hudi 1.0.2, table version 6.",
        write("bulk_insert", PART | numbered(NUMBERS), wide(NUMBERS, 0, "a"), wide(NUMBERS, 500, "b")),
        options=INDEX | {"hoodie.write.table.version": "6", "hoodie.write.auto.upgrade": "false"},
        hudi="1.0.2",
    ),
    delta_edge(
        "stats_limit",
        f"{NUMBERS} columns, of which Delta's log has statistics of the first 32.",
        write("append", numbered(NUMBERS), wide(NUMBERS, 0), wide(NUMBERS, 500)),
    ),
    edge(
        "names",
        "Column names with upper case and letters beyond ASCII.",
        write(
            "bulk_insert",
            PART | typed(BY_HUDI),
            *(File({"part": (p, p), **named(BY_HUDI, n).columns}) for p, n in (("a", 0), ("b", 50))),
        ),
    ),
    delta_edge(
        "names",
        "Column names with dots, upper case, and letters beyond ASCII.",
        write("append", typed(BY_DELTA), named(BY_DELTA, 0), named(BY_DELTA, 50)),
    ),
    delta_edge(
        "blank_names",
        "Columns mapped by name, whose names have blanks and the characters that Parquet's writer refuses.",
        write("append", typed(BY_MAPPING), named(BY_MAPPING, 0), named(BY_MAPPING, 50)),
        options=MAPPED,
    ),
    edge(
        "depths",
        "One name in the table, in a struct, and in a struct of that.",
        write(
            "bulk_insert",
            PART | {"n": pa.int32(), "st": INNER},
            *(File({"part": (p, p), **depths(n).columns}) for p, n in (("a", 0), ("b", 50))),
        ),
    ),
    delta_edge(
        "depths",
        "One name in the table, in a struct, and in a struct of that.",
        write("append", {"n": pa.int32(), "st": INNER}, depths(0), depths(50)),
    ),
    edge(
        "column_back",
        "A column is dropped, and comes back with the same type.",
        with_columns("a", "k1", {"keep": KEEP, "x": X}),
        with_columns("b", "k2", {"keep": KEEP}),
        with_columns("c", "k3", {"keep": KEEP, "x": X}),
        options=DROP,
    ),
    edge(
        "back_before_sync",
        "A column is dropped, and comes back with the same type, before the first sync.",
        with_columns("a", "k1", {"keep": KEEP, "x": X}, staged=False),
        with_columns("b", "k2", {"keep": KEEP}, staged=False),
        with_columns("c", "k3", {"keep": KEEP, "x": X}),
        options=DROP,
    ),
    edge(
        "long_after_int",
        "A column becomes long after int, before the first sync.",
        *seen_at_once(widening(pa.int32(), pa.int64(), (7, 2**40))),
        twin="history_widen_int",
    ),
    edge(
        "double_after_float",
        "A column becomes double after float, before the first sync.",
        *seen_at_once(widening(pa.float32(), pa.float64(), (1.5, 1e300))),
        twin="history_widen_float",
    ),
    edge(
        "int_rewritten",
        "A column becomes long after int, and an upsert rewrites the old file, before the first sync.",
        *seen_at_once(
            (
                *widening(pa.int32(), pa.int64(), (7, 2**40)),
                write(
                    "upsert",
                    PART | {"x": pa.int64()},
                    file(record_key=["k1"], part="a", x=[2**41]),
                    words="an upsert of the row of a",
                ),
            )
        ),
    ),
    edge(
        "dropped_then_added",
        "A column is dropped, then another one is added.",
        with_columns("a", "k1", {"keep": KEEP, "x": X, "y": S}),
        with_columns("b", "k2", {"keep": KEEP, "y": S}),
        with_columns("c", "k3", {"keep": KEEP, "y": S, "z": Z}),
        options=DROP,
    ),
    edge(
        "drops_and_adds",
        "A column is dropped and another one added by one commit.",
        with_columns("a", "k1", {"keep": KEEP, "x": X, "y": S}),
        with_columns("b", "k2", {"keep": KEEP, "y": S, "z": Z}),
        options=DROP,
    ),
    delta_edge(
        "dropped_and_added",
        "Columns mapped by name, of which the newest is dropped and another one added between two syncs.",
        write("append", I_S, file(**I_S_ROW)),
        sql("ALTER TABLE {table} DROP COLUMN d", "d is dropped", staged=False),
        sql("ALTER TABLE {table} ADD COLUMN e int", "e is added"),
        write(
            "append",
            {"i": pa.int32(), "s": pa.string(), "e": pa.int32()},
            file(i=[3], s=["s3"], e=[7]),
            words="a row with it",
        ),
        options=MAPPED,
    ),
    delta_edge(
        "two_dropped",
        "Columns mapped by name, of which two are dropped between two syncs.",
        write("append", I_S, file(**I_S_ROW)),
        sql("ALTER TABLE {table} DROP COLUMNS (s, d)", "s and d are dropped"),
        write("append", {"i": pa.int32()}, file(i=[3]), words="a row after it"),
        options=MAPPED,
    ),
    delta_edge(
        "column_back",
        "Columns mapped by name, of which one is dropped and added again.",
        write("append", I_S, file(**I_S_ROW)),
        sql("ALTER TABLE {table} DROP COLUMN s", "s is dropped"),
        sql("ALTER TABLE {table} ADD COLUMN s string", "s is added again"),
        write("append", I_S, file(**AGAIN), words="rows with it"),
        options=MAPPED,
    ),
    delta_edge(
        "null_allowed",
        "In one commit a column that may not be null is allowed to be, and gets a comment. Then it holds a null.",
        CREATED,
        write("append", NULLABLE, file(i=[1, 2], s=["s1", "s2"])),
        sql(
            "ALTER TABLE {table} REPLACE COLUMNS (record_key STRING, i INT COMMENT 'may be null', s STRING)",
            "i may be null, and has a comment",
            staged=False,
        ),
        A_NULL,
    ),
    delta_edge(
        "required_then_not",
        "A column that may not be null is allowed to be, gets a comment in another commit, and holds a null.",
        CREATED,
        write("append", NULLABLE, file(i=[1, 2], s=["s1", "s2"])),
        sql("ALTER TABLE {table} ALTER COLUMN i DROP NOT NULL", "i may be null", staged=False),
        sql("ALTER TABLE {table} ALTER COLUMN i COMMENT 'may be null'", "i has a comment", staged=False),
        A_NULL,
    ),
)

"""delta_rs_*: Delta tables that delta-rs writes, the library of Python and Rust, and not Spark.

They are no part of the battery that every run audits: `--source-format delta_rs` asks for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

import pyarrow as pa

from spark_jobs.battery.parquet import PLAIN, plain
from spark_jobs.battery.table import BatteryTable, Called, File, Step, file, write
from spark_jobs.battery.values import EMOJI, moments

INTS = {"i": pa.int32()}
FLAT = {name: type_ for name, type_ in PLAIN.items() if name not in ("st", "m38", "at")}


def by_delta_rs(name: str, description: str, *steps: Step, **facts: Any) -> BatteryTable:
    return BatteryTable(f"delta_rs_{name}", description, steps, format="DELTA", by_delta_rs=True, **facts)


def of_types(name: str, description: str, schema: Mapping[str, pa.DataType], *files: File) -> BatteryTable:
    """A table of one stage, a commit for each of the files."""
    return by_delta_rs(name, description, write("append", schema, *files))


def called(words: str, method: str, **arguments: Any) -> Step:
    return Step(words, Called(method, arguments))


def ints(*values: int) -> File:
    return file(i=values)


def flat(first: int) -> File:
    """Ordinary values, without a struct, decimals beyond a double and times between milliseconds."""
    return File({name: values for name, values in plain(first).columns.items() if name in FLAT})


def some_nulls(part: str, first: int) -> File:
    """Five rows of one partition; of other columns, and of the fields of a struct, each second value is null."""
    columns = {**flat(first).columns, "st": [{"x": one, "y": f"{one:03d}"} for one in range(first, first + 5)]}
    null = {"st": {"x": None, "y": None}}
    return file(
        p=[part] * 5,
        **{name: [null.get(name) if row % 2 else one for row, one in enumerate(of)] for name, of in columns.items()},
    )


TWO = write("append", INTS, ints(1, 2, 3), ints(4, 5, 6))
"""Two files, the beginning of most histories."""

TABLES = (
    by_delta_rs(
        "append",
        "Rows that are appended.",
        TWO,
        write("append", INTS, ints(7, 8), prefix="l"),
        write("append", INTS, ints(9), prefix="m"),
    ),
    by_delta_rs(
        "delete",
        "Rows that are deleted, and a file that holds the others.",
        TWO,
        called("delete where i = 2", "delete", predicate="i = 2"),
    ),
    by_delta_rs(
        "update",
        "A row that is updated.",
        TWO,
        called("update where i = 5", "update", predicate="i = 5", updates={"i": "50"}),
    ),
    by_delta_rs("compacted", "Small files that are compacted.", TWO, called("compact", "optimize.compact")),
    by_delta_rs("overwrite", "A table that is overwritten.", TWO, write("overwrite", INTS, ints(70), prefix="o")),
    by_delta_rs(
        "add_column",
        "A column that comes later.",
        TWO,
        write("append", {**INTS, "s": pa.string()}, file(i=(7, 8), s=("x", "y")), prefix="l"),
    ),
    by_delta_rs(
        "restored",
        "A table that is restored to its first version.",
        write("append", INTS, ints(1, 2, 3)),
        write("append", INTS, ints(4), prefix="l"),
        called("restore", "restore", target=0),
    ),
    by_delta_rs(
        "returned",
        "A table that is overwritten, and restored to what it was: its first file returns.",
        write("append", INTS, ints(1, 2)),
        write("overwrite", INTS, ints(70), prefix="o"),
        called("restore", "restore", target=0),
    ),
    by_delta_rs(
        "with_checkpoint",
        "Commits before and after a checkpoint.",
        TWO,
        called("checkpoint", "create_checkpoint"),
        write("append", INTS, ints(7), prefix="l"),
    ),
    of_types("plain", "Ordinary values of every plain type.", FLAT, flat(0), flat(100)),
    of_types("struct", "A struct.", {"st": PLAIN["st"]}, file(st=({"x": 1, "y": "a"}, {"x": 2, "y": "b"}))),
    of_types("nulls", "A column of nulls alone, and one of some.", INTS, file(i=(None, None)), file(i=(None, 4))),
    by_delta_rs(
        "some_nulls",
        "Nulls among the values of each plain type and of a struct, in two partitions and four commits.",
        *(
            write(
                "append",
                {"p": pa.string(), **FLAT, "st": PLAIN["st"]},
                some_nulls(part, 100 * number),
                prefix=f"{part}{number}",
            )
            for number, part in enumerate("abab")
        ),
        partition_by=("p",),
    ),
    of_types("nan", "NaN among numbers.", {"d": pa.float64()}, file(d=(1.0, float("nan"), 3.0))),
    of_types(
        "micros",
        "Times between milliseconds.",
        {"at": pa.timestamp("us", tz="UTC")},
        file(at=moments("2024-01-01T00:00:00.000001", "2024-01-01T00:00:00.999999")),
    ),
    of_types("long_texts", "Texts of more than 32 characters.", {"s": pa.string()}, file(s=("a" * 40, EMOJI * 40))),
    by_delta_rs(
        "by_text",
        "A partition column with special characters.",
        write("append", {"p": pa.string(), **INTS}, file(p=("a b", "x%y", "é"), i=(1, 2, 3))),
        partition_by=("p",),
    ),
    by_delta_rs(
        "by_date",
        "A partition column of dates.",
        write("append", {"p": pa.date32(), **INTS}, file(p=(date(2024, 1, 1), date(2024, 2, 1)), i=(1, 2))),
        partition_by=("p",),
    ),
)
DELTA_RS_TABLES: Mapping[str, BatteryTable] = {table.name: table for table in TABLES}

"""parquet_*: folders of Parquet files without a log, which XTable reads from 0.4.0 on. Arrow writes them, not Spark.

They are no part of the battery that every run audits: `--source-format parquet` asks for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa

from spark_jobs.battery.table import KEY, BatteryTable, File, Placed, Step, file, keyed
from spark_jobs.battery.values import EMOJI, EPOCH, MICROSECOND, days, decimals, moments

INTS = {"i": pa.int32()}
BEFORE_EMOJI = "\uffff"
LONG = 5000
"""Characters of a string for which Arrow writes no min and max of its row group: it keeps those of up to 4096 bytes."""


def put(
    words: str,
    minute: int,
    schema: Mapping[str, pa.DataType],
    files: Mapping[str, File | None],
    options: Mapping[str, Any] | None = None,
    nullable: bool = True,
) -> Step:
    """A step that puts files into the folder, by their paths without `.parquet`; None deletes one."""
    whole = pa.schema([pa.field(name, type_, nullable) for name, type_ in {KEY: pa.string(), **schema}.items()])
    placed = {
        f"{path}.parquet": None if rows is None else keyed([rows], f"{minute}{path}")[0] for path, rows in files.items()
    }
    return Step(words, Placed(placed, whole, minute, dict(options or {})))


def ints(*values: int) -> File:
    return file(i=values)


def folder(name: str, description: str, *steps: Step, **facts: Any) -> BatteryTable:
    return BatteryTable(f"parquet_{name}", description, steps, format="PARQUET", **facts)


def of_types(
    name: str,
    description: str,
    schema: Mapping[str, pa.DataType],
    *rows: File,
    options: Mapping[str, Any] | None = None,
) -> BatteryTable:
    """A table of one stage, a file for each of the rows."""
    files = {f"part{number}": one for number, one in enumerate(rows)}
    return folder(name, description, put("append", 0, schema, files, options))


TWO = put("append", 0, INTS, {"a": ints(1, 2, 3), "b": ints(4, 5, 6)})
"""Two files, the beginning of every history."""

PLAIN = {
    "i": pa.int32(),
    "l": pa.int64(),
    "f": pa.float32(),
    "d": pa.float64(),
    "t": pa.bool_(),
    "s": pa.string(),
    "day": pa.date32(),
    "m9": pa.decimal128(9, 2),
    "m38": pa.decimal128(38, 10),
    "at": pa.timestamp("us", tz="UTC"),
    "st": pa.struct({"x": pa.int32(), "y": pa.string()}),
}


def plain(first: int) -> File:
    numbers = range(first, first + 5)
    return file(
        i=numbers,
        l=[10**12 + one for one in numbers],
        f=[one / 4 for one in numbers],
        d=[one / 8 for one in numbers],
        t=[one % 2 == 0 for one in numbers],
        s=[f"row {one:03d}" for one in numbers],
        day=[days("2023-01-01")[0] + timedelta(days=one) for one in numbers],
        m9=[Decimal(one).scaleb(-2) for one in numbers],
        m38=[Decimal(10**18 + one).scaleb(-10) for one in numbers],
        at=[datetime(2023, 1, 1, tzinfo=UTC) + timedelta(hours=one, microseconds=123) for one in numbers],
        st=[{"x": one, "y": f"{one:03d}"} for one in numbers],
    )


TO_HUDI = {name: PLAIN[name] for name in ("i", "l", "f", "d", "t", "s", "day", "at")}
"""Those of them that XTable translates to Hudi: on its class path no decimal becomes one of Hudi's statistics."""


def of_columns(schema: Mapping[str, pa.DataType], rows: File) -> File:
    return File({name: rows.columns[name] for name in schema})


TABLES = (
    of_types("plain", "Ordinary values of plain types and a struct in 2 files of 5 rows.", PLAIN, plain(0), plain(100)),
    folder("append", "2 files, then a newer third.", TWO, put("append", 1, INTS, {"c": ints(7, 8, 9)})),
    folder("one_deleted", "2 files, of which one is then deleted.", TWO, put("delete of a file", 1, INTS, {"b": None})),
    folder(
        "replaced",
        "2 files, of which one then gives way to a newer one.",
        TWO,
        put("a file for another", 1, INTS, {"b": None, "c": ints(40, 50, 60, 70)}),
    ),
    folder(
        "rewrite",
        "2 files, of which one is then written anew under its name, with other rows.",
        TWO,
        put("rewrite in place", 1, INTS, {"b": ints(40, 50, 60, 70)}),
    ),
    folder(
        "moved_in",
        "2 files, then a third that is older than both: moved in, or copied with its time.",
        TWO,
        put("an older file moved in", -5, INTS, {"c": ints(7, 8, 9)}),
    ),
    folder(
        "same_time",
        "2 files, then a third of the same time of modification.",
        TWO,
        put("a file of the same time", 0, INTS, {"c": ints(7, 8, 9)}),
    ),
    folder(
        "hidden",
        "2 files, and 3 that engines do not look at: below _temporary, and of names with an underscore and a dot.",
        put(
            "append beside a job's leftovers",
            0,
            INTS,
            {"a": ints(1, 2, 3), "b": ints(4, 5, 6), "_temporary/0/c": ints(7), "_d": ints(8), ".e": ints(9)},
        ),
    ),
    folder(
        "by_year",
        "Files in year=2023 and year=2024, which XTable's configuration takes for the year of a timestamp.",
        put(
            "append",
            0,
            {"at": pa.timestamp("us", tz="UTC")},
            {
                "year=2023/a": file(at=moments("2023-02-05T01:02:03", "2023-12-31T23:59:59")),
                "year=2024/b": file(at=moments("2024-01-01T00:00:00", "2024-05-05T05:05:05")),
            },
        ),
        partition_by=("at",),
        partition_spec="at:YEAR:year=yyyy",
    ),
    folder(
        "required",
        "2 files of plain types, one after the other, whose columns Parquet has as REQUIRED.",
        put("append", 0, TO_HUDI, {"a": of_columns(TO_HUDI, plain(0))}, nullable=False),
        put("append of a newer file", 1, TO_HUDI, {"b": of_columns(TO_HUDI, plain(100))}, nullable=False),
    ),
    folder(
        "years_required",
        "Files in year=2023 and year=2024, partitioned by the year of a timestamp, whose columns are REQUIRED.",
        put(
            "append",
            0,
            {"at": pa.timestamp("us", tz="UTC")},
            {
                "year=2023/a": file(at=moments("2023-02-05T01:02:03", "2023-12-31T23:59:59")),
                "year=2024/b": file(at=moments("2024-01-01T00:00:00", "2024-05-05T05:05:05")),
            },
            nullable=False,
        ),
        partition_by=("at",),
        partition_spec="at:YEAR:year=yyyy",
    ),
    folder(
        "in_paths",
        "Files in p=x and p=y: the column is in paths alone, as Spark and Hive write it, and is not configured.",
        put("append", 0, INTS, {"p=x/a": ints(1, 2, 3), "p=y/b": ints(4, 5, 6)}),
    ),
    folder(
        "in_files",
        "Files in p=x and p=y that hold the column too, which is not configured.",
        put(
            "append",
            0,
            {**INTS, "p": pa.string()},
            {"p=x/a": file(i=[1, 2, 3], p="x"), "p=y/b": file(i=[4, 5, 6], p="y")},
        ),
    ),
    folder(
        "by_value",
        "Files in p=x and p=y that hold the column too, by which XTable's configuration partitions.",
        put(
            "append",
            0,
            {**INTS, "p": pa.string()},
            {"p=x/a": file(i=[1, 2, 3], p="x"), "p=y/b": file(i=[4, 5, 6], p="y")},
        ),
        partition_by=("p",),
        partition_spec="p:VALUE",
    ),
    of_types(
        "millis",
        "Timestamps of milliseconds, in UTC and without a zone.",
        {"at": pa.timestamp("ms", tz="UTC"), "n": pa.timestamp("ms")},
        file(
            at=moments("2023-02-05T01:02:03.123", "2023-02-05T01:02:03.999"),
            n=[datetime(2023, 2, 5, 1, 2, 3, 123_000), datetime(2023, 2, 5, 1, 2, 3, 999_000)],
        ),
    ),
    of_types(
        "before_1970",
        "Timestamps of microseconds around 1970.",
        {"at": pa.timestamp("us", tz="UTC")},
        file(at=[EPOCH - MICROSECOND, EPOCH, EPOCH + MICROSECOND]),
    ),
    of_types(
        "nanos",
        "Timestamps of nanoseconds, which Iceberg's version 2 has no type for.",
        {"at": pa.timestamp("ns", tz="UTC")},
        file(at=moments("2023-02-05T01:02:03.123456", "2023-02-05T01:02:03.999999")),
    ),
    of_types("uint32", "Unsigned 32-bit integers, above and below 2^31.", {"u": pa.uint32()}, file(u=[1, 2**31 + 5])),
    of_types("uint64", "Unsigned 64-bit integers, above and below 2^63.", {"u": pa.uint64()}, file(u=[1, 2**63 + 5])),
    of_types("times", "Times of day in microseconds.", {"t": pa.time64("us")}, file(t=[time(1, 2, 3), time(4, 5, 6)])),
    of_types("binary", "Bytes.", {"b": pa.binary()}, file(b=[b"\x01", b"\xff"])),
    of_types("fixed", "Bytes of a fixed length.", {"b": pa.binary(2)}, file(b=[b"\x01\x02", b"\xff\xfe"])),
    of_types("lists", "Lists of integers.", {"ls": pa.list_(pa.int32())}, file(ls=[[1, 2], [], [3]])),
    of_types(
        "maps", "Maps from strings to integers.", {"mp": pa.map_(pa.string(), pa.int32())}, file(mp=[[("a", 1)], []])
    ),
    of_types(
        "no_statistics",
        "A column without statistics, beside one that has them.",
        {"i": pa.int32(), "u": pa.int32()},
        file(i=[1, 2, 3], u=[4, None, 6]),
        options={"write_statistics": [KEY, "i"]},
    ),
    of_types(
        "long_strings",
        "2 row groups, of which Arrow writes no min and max of the second: it has a string of 5000 characters.",
        {"s": pa.string()},
        file(s=["m", "n", "b", "q" * LONG]),
        options={"row_group_size": 2},
    ),
    of_types(
        "short_strings",
        "2 row groups with strings of up to 4096 characters.",
        {"s": pa.string()},
        file(s=["m", "n", "b", "q" * 4096]),
        options={"row_group_size": 2},
    ),
    of_types(
        "code_points",
        "2 row groups of characters whose order is another in UTF-16.",
        {"s": pa.string()},
        file(s=["a", BEFORE_EMOJI, "b", EMOJI]),
        options={"row_group_size": 2},
    ),
    of_types(
        "one_group",
        "Characters whose order is another in UTF-16, in one row group.",
        {"s": pa.string()},
        file(s=["a", BEFORE_EMOJI, "b", EMOJI]),
    ),
    of_types(
        "bytes_unmeasured",
        "Bytes, and bytes of a fixed length, without statistics.",
        {"b": pa.binary(), "fb": pa.binary(2)},
        file(b=[b"\x01", b"\xff"], fb=[b"\x01\x02", b"\xff\xfe"]),
        options={"write_statistics": [KEY]},
    ),
    of_types(
        "nulls",
        "A column that is null in one of 2 files, and decimals beside it.",
        {"i": pa.int32(), "m": pa.decimal128(9, 2)},
        file(i=[1, None], m=decimals("1.00", None)),
        file(i=[None, None], m=decimals("2.00", "3.00")),
    ),
    folder(
        "many_commits",
        "12 files, one after the other: with the eleventh commit a Delta log in the folder gets a checkpoint.",
        *(put(f"append {number}", number, INTS, {f"part{number:02d}": ints(number)}) for number in range(12)),
    ),
)

FOLDERS: Mapping[str, BatteryTable] = {table.name: table for table in TABLES}
"""By name."""

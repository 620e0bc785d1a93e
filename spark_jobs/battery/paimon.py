"""paimon_*: tables of Apache Paimon, which XTable reads from 0.4.0 on. Paimon's Python library writes them, not Spark.

They are no part of the battery that every run audits: `--source-format paimon` asks for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import pyarrow as pa

from spark_jobs.battery.parquet import PLAIN, plain
from spark_jobs.battery.table import KEY, BatteryTable, File, Step, file, service, write
from spark_jobs.battery.values import EMOJI, EPOCH, MICROSECOND, days, decimals, moments

STATISTICS = {"metadata.stats-mode": "full"}
"""Paimon's Java library writes statistics by default, of strings their first 16 characters; that of Python writes them
on request alone."""
PRIMARY_KEY = "primary-key"
"""Paimon's option that names the columns of the primary key."""
KEYED = {**STATISTICS, PRIMARY_KEY: KEY, "bucket": "1"}
INTS = {"i": pa.int32()}
FLAT = {name: type_ for name, type_ in PLAIN.items() if not pa.types.is_struct(type_)}


def paimon(
    name: str, description: str, *steps: Step, options: Mapping[str, str] = STATISTICS, **facts: Any
) -> BatteryTable:
    return BatteryTable(f"paimon_{name}", description, steps, format="PAIMON", options=options, **facts)


def of_types(
    name: str,
    description: str,
    schema: Mapping[str, pa.DataType],
    *files: File,
    options: Mapping[str, str] = STATISTICS,
) -> BatteryTable:
    """A table of one commit, a file for each of the files."""
    return paimon(name, description, write("append", schema, *files), options=options)


def parted(
    name: str, description: str, type_: pa.DataType, *values: object, options: Mapping[str, str] = STATISTICS
) -> BatteryTable:
    """A file of two rows for each value of the partition column `p`."""
    files = [file(p=[value, value], i=[10 * number, 10 * number + 1]) for number, value in enumerate(values)]
    step = write("append", {"p": type_, "i": pa.int32()}, *files)
    return paimon(f"by_{name}", description, step, partition_by=("p",), options=options)


def ints(*values: int) -> File:
    return file(i=values)


def flat(first: int) -> File:
    """Ordinary values, without the struct."""
    return File({name: values for name, values in plain(first).columns.items() if name in FLAT})


TWO = write("append", INTS, ints(1, 2, 3), ints(4, 5, 6))
"""Two files, the beginning of every history."""

TABLES = (
    of_types("plain", "Ordinary values of plain types in 2 files of 5 rows.", FLAT, flat(0), flat(100)),
    of_types(
        "small_ints",
        "TINYINT and SMALLINT below and above zero.",
        {"t": pa.int8(), "s": pa.int16()},
        file(t=[-5, 7], s=[-300, 5]),
        file(t=[1, 2], s=[3, 4]),
    ),
    of_types(
        "strings",
        "An empty string, strings longer than 16 characters, and one above the Basic Multilingual Plane.",
        {"s": pa.string()},
        file(s=["", "a" * 20, "a" * 19 + "b"]),
        file(s=["\uffff", EMOJI, "z"]),
    ),
    of_types(
        "decimals",
        "Decimals of 9, 18 and 38 digits, negative ones too.",
        {"m9": pa.decimal128(9, 2), "m18": pa.decimal128(18, 4), "m38": pa.decimal128(38, 10)},
        file(
            m9=decimals("-9999999.99", "0.01"),
            m18=decimals("-99999999999999.9999", "99999999999999.9999"),
            m38=decimals("-1234567890123456789012345678.0123456789", "1.5"),
        ),
    ),
    of_types(
        "dates",
        "Dates before and after 1970.",
        {"day": pa.date32()},
        file(day=days("1582-10-04", "1969-12-31")),
        file(day=days("1970-01-01", "9999-12-31")),
    ),
    of_types(
        "micros",
        "Timestamps of microseconds around 1970, with a time zone and without one.",
        {"z": pa.timestamp("us", tz="UTC"), "n": pa.timestamp("us")},
        file(
            z=[EPOCH - MICROSECOND, EPOCH, EPOCH + MICROSECOND],
            n=[one.replace(tzinfo=None) for one in (EPOCH - MICROSECOND, EPOCH, EPOCH + MICROSECOND)],
        ),
    ),
    of_types(
        "millis",
        "Timestamps of milliseconds, with a time zone and without one.",
        {"z": pa.timestamp("ms", tz="UTC"), "n": pa.timestamp("ms")},
        file(
            z=moments("2023-02-05T01:02:03.123", "2023-02-05T01:02:03.999"),
            n=[datetime(2023, 2, 5, 1, 2, 3, 123_000), datetime(2023, 2, 5, 1, 2, 3, 999_000)],
        ),
    ),
    of_types(
        "nulls",
        "Nulls beside values in each of 2 files.",
        {"i": pa.int32(), "s": pa.string()},
        file(i=[1, None], s=["a", None]),
        file(i=[None, 3], s=[None, "c"]),
    ),
    of_types(
        "null_file",
        "A column that is null in the whole of one of 2 files.",
        {"i": pa.int32(), "s": pa.string()},
        file(i=[1, 2], s=["a", "b"]),
        file(i=[None, None], s=["c", "d"]),
    ),
    of_types("binary", "Bytes.", {"b": pa.binary()}, file(b=[b"\x01", b"\xff"])),
    of_types(
        "structs",
        "A struct.",
        {"st": pa.struct({"x": pa.int32(), "y": pa.string()})},
        file(st=[{"x": 1, "y": "a"}, {"x": 2, "y": "b"}]),
    ),
    of_types("lists", "A list.", {"ls": pa.list_(pa.int32())}, file(ls=[[1, 2], [3]])),
    of_types("maps", "A map.", {"mp": pa.map_(pa.string(), pa.int32())}, file(mp=[[("a", 1)], [("b", 2)]])),
    of_types(
        "nested_unmeasured",
        "A struct and a list, without statistics.",
        {"st": pa.struct({"x": pa.int32(), "y": pa.string()}), "ls": pa.list_(pa.int32())},
        file(st=[{"x": 1, "y": "a"}, {"x": 2, "y": "b"}], ls=[[1, 2], [3]]),
        options={},
    ),
    paimon(
        "unmeasured",
        "TINYINT below zero, a column that is null in a whole file, bytes, and a later column, without statistics.",
        write(
            "append",
            {"t": pa.int8(), "i": pa.int32(), "b": pa.binary()},
            file(t=[-5, 7], i=[None, None], b=[b"\x01", b"\xff"]),
            staged=False,
        ),
        write(
            "append",
            {"t": pa.int8(), "i": pa.int32(), "b": pa.binary(), "s": pa.string()},
            file(t=[-6], i=[3], b=[b"\x02"], s=["a"]),
            prefix="l",
            words="add a column, append",
        ),
        options={},
    ),
    parted("string", "Partitions by a string.", pa.string(), "x", "y"),
    parted("int", "Partitions by an integer.", pa.int32(), 1, 2),
    parted("date", "Partitions by a date.", pa.date32(), *days("2023-02-05", "2024-05-05")),
    parted("null", "Partitions by a string that is null in one of them.", pa.string(), "x", None),
    parted(
        "nothing",
        "Partitions by a string that is null in one of them, without statistics.",
        pa.string(),
        "x",
        None,
        options={},
    ),
    parted(
        "special", "Partition values that Paimon escapes in its paths, and a blank.", pa.string(), "a b", "a=b", "a/b"
    ),
    paimon("append", "2 files, then a third.", TWO, write("append", INTS, ints(7, 8, 9), prefix="l")),
    paimon(
        "add_column",
        "2 files, then a third with a column more.",
        TWO,
        write(
            "append", {**INTS, "s": pa.string()}, file(i=[7, 8], s=["a", "b"]), prefix="l", words="add a column, append"
        ),
    ),
    paimon(
        "added_column",
        "2 files, then a third with a column more, before the first sync.",
        write("append", INTS, ints(1, 2, 3), ints(4, 5, 6), staged=False),
        write("append", {**INTS, "s": pa.string()}, file(i=[7, 8], s=["a", "b"]), prefix="l", words="add a column"),
    ),
    paimon(
        "other_column",
        "2 files, then a third with another column of the same type in the place of one, before the first sync.",
        write("append", INTS, ints(1, 2, 3), ints(4, 5, 6), staged=False),
        write("append", {"j": pa.int32()}, file(j=[70, 80]), prefix="l", words="drop a column and add another"),
    ),
    paimon(
        "rewritten",
        "2 files, then a third with a column more, then all rows written anew, before the first sync.",
        write("append", INTS, ints(1, 2, 3), ints(4, 5, 6), staged=False),
        write("append", {**INTS, "s": pa.string()}, file(i=[7, 8], s=["a", "b"]), prefix="l", staged=False),
        write("overwrite", {**INTS, "s": pa.string()}, file(i=range(1, 9), s=[*[None] * 6, "a", "b"]), prefix="o"),
    ),
    paimon(
        "overwrite",
        "2 files, of which another takes the place.",
        TWO,
        write("overwrite", INTS, ints(7, 8, 9), prefix="l"),
    ),
    paimon(
        "key",
        "A primary key and 2 rows, then an update of one. No compaction has run.",
        write("append", INTS, file(record_key=["k0", "k1"], i=[1, 2])),
        write("upsert", INTS, file(record_key=["k1"], i=[20])),
        options=KEYED,
    ),
    paimon(
        "once_compacted",
        "A primary key and 2 rows, an update of one, and a compaction.",
        write("append", INTS, file(record_key=["k0", "k1"], i=[1, 2]), staged=False),
        write("upsert", INTS, file(record_key=["k1"], i=[20]), staged=False),
        service("compact"),
        options=KEYED,
    ),
    paimon(
        "updated_since",
        "A primary key, 2 rows and a compaction, then an update of one row and an insert.",
        write("append", INTS, file(record_key=["k0", "k1"], i=[1, 2]), staged=False),
        service("compact"),
        write("upsert", INTS, file(record_key=["k1", "k2"], i=[20, 3])),
        options=KEYED,
    ),
    paimon(
        "compacted_again",
        "The same, and a second compaction.",
        write("append", INTS, file(record_key=["k0", "k1"], i=[1, 2]), staged=False),
        service("compact"),
        write("upsert", INTS, file(record_key=["k1", "k2"], i=[20, 3]), staged=False),
        service("compact"),
        options=KEYED,
    ),
)

PAIMON_TABLES: Mapping[str, BatteryTable] = {table.name: table for table in TABLES}
"""By name."""

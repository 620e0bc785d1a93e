"""partition_*: how partition values are written in paths, and right and wrong partition specs for XTable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa

from spark_jobs.battery.table import BatteryTable, File, file, write
from spark_jobs.battery.values import EMOJI, days

BARE = {"hoodie.datasource.write.hive_style_partitioning": "false"}
ENCODED = {"hoodie.datasource.write.partitionpath.urlencode": "true"}
DROPPED = {
    "hoodie.datasource.write.drop.partition.columns": "true",
    "hoodie.datasource.write.row.writer.enable": "false",  # the row writer would lose the rows with the column
}
SPECIAL = ("plain", "a b", "50%", "100%25", "é", "x=y", EMOJI, "A'b", "a+b", "a,b")
"""Values that Hudi writes into a path without encoding."""
RESERVED = ("plain", "a b", "a/b", "a:b", "50%", "100%25", "x=y", "é", "a?b", "a#b", "a+b")
"""Values that need encoding, and some that do not."""


def by(
    name: str,
    description: str,
    values: Mapping[str, tuple[pa.DataType, Sequence[Any]]],
    spec: str,
    options: Mapping[str, str] | None = None,
    partition_by: Sequence[str] = (),
    twin: str = "",
) -> BatteryTable:
    """A table of one row a file and partition. `values` are the partition columns' types and values, row by row."""
    schema = {column: type_ for column, (type_, _) in values.items()} | {"i": pa.int32(), "id": pa.string()}
    return BatteryTable(
        f"partition_{name}",
        description,
        (write("bulk_insert", schema, *one_by_one({column: listed for column, (_, listed) in values.items()})),),
        partition_by=tuple(partition_by or values),
        partition_spec=spec,
        options=dict(options or {}),
        twin=twin,
    )


def one_by_one(columns: Mapping[str, Sequence[Any]]) -> tuple[File, ...]:
    """A file for each row, with a number and a text of its own."""
    rows = len(next(iter(columns.values())))
    return tuple(
        file(**{column: [values[row]] for column, values in columns.items()}, i=[10 * row], id=[f"id{row}"])
        for row in range(rows)
    )


def text(*values: str | None) -> dict[str, tuple[pa.DataType, Sequence[Any]]]:
    """One partition column `p` of strings."""
    return {"p": (pa.string(), values)}


DAYS = 12
DAY_TEXT: Mapping[str, tuple[pa.DataType, Sequence[Any]]] = {
    "p": (pa.string(), [f"2024-01-{day:02d}" for day in range(1, DAYS + 1)]),
    "ms": (pa.int64(), [1_704_067_200_000 + 86_400_000 * number for number in range(DAYS)]),
}
"""Days as texts, and the same as milliseconds."""

STRINGS = (
    by("special", "Special characters, hive style.", text(*SPECIAL), "p:VALUE"),
    by("bare", "Special characters, paths without the column's name.", text(*SPECIAL), "p:VALUE", BARE),
    by("encoded", "Special characters, url-encoded paths, hive style.", text(*RESERVED), "p:VALUE", ENCODED),
    by(
        "url_coded", "Special characters, url-encoded paths without a name.", text(*RESERVED), "p:VALUE", BARE | ENCODED
    ),
    by("empty", "An empty string, hive style.", text("", "a"), "p:VALUE"),
    by("void", "An empty string, paths without the column's name.", text("", "a"), "p:VALUE", BARE),
    by("null", "Null, hive style.", text(None, "a"), "p:VALUE"),
    by("nil", "Null, paths without the column's name.", text(None, "a"), "p:VALUE", BARE),
    by(
        "like_a_path",
        "Values that look like a hive style path, in paths without names.",
        text("p=a", "b"),
        "p:VALUE",
        BARE,
    ),
    by(
        "dropped",
        "The files leave out the partition column.",
        text("a", "b"),
        "p:VALUE",
        DROPPED,
    ),
    by("digits", "Strings of digits, with zeros in front.", text("01", "1", "007", "-1"), "p:VALUE"),
    by("day_text", f"{DAYS} days as strings, beside them the same as longs.", DAY_TEXT, "p:VALUE", partition_by=("p",)),
)

INTS = (pa.int32(), (-5, 0, 12, None))
TYPED = (
    by("int", "Integers.", {"p": INTS}, "p:VALUE"),
    by("long", "Long integers.", {"p": (pa.int64(), (-(2**40), 0, 2**53 + 1, None))}, "p:VALUE"),
    by("boolean", "Booleans.", {"p": (pa.bool_(), (True, False, None))}, "p:VALUE"),
    by("double", "Doubles.", {"p": (pa.float64(), (1.5, -0.25, 1e10))}, "p:VALUE"),
    by("decimal", "Decimals.", {"p": (pa.decimal128(10, 2), (Decimal("10.50"), Decimal("-1.00")))}, "p:VALUE"),
    by(
        "date_value",
        "Dates, told as they are.",
        {"dt": (pa.date32(), days("2024-01-01", "2024-02-29"))},
        "dt:VALUE",
        twin="partition_date_day",
    ),
    by(
        "date_day",
        "Dates, told as days.",
        {"dt": (pa.date32(), days("2024-01-01", "2024-02-29", "1969-12-31"))},
        "dt:DAY:yyyy-MM-dd",
    ),
    by(
        "date_month",
        "Dates, told as months although the paths are days.",
        {"dt": (pa.date32(), days("2024-01-01", "2024-01-31", "2024-02-29"))},
        "dt:MONTH:yyyy-MM-dd",
    ),
)

TWO = {"p": (pa.string(), ("a b", "a b", "c")), "q": (pa.int32(), (1, 2, 1))}
THREE = {
    "p": (pa.string(), ("2024", "2024", "x")),
    "q": (pa.string(), ("01", "02", "y")),
    "r": (pa.string(), ("31", "31", "z")),
}
SEVERAL = (
    by("two_columns", "Two columns, hive style.", TWO, "p:VALUE,q:VALUE"),
    by("three_columns", "Three columns, hive style, values of digits.", THREE, "p:VALUE,q:VALUE,r:VALUE"),
    by("three_bare", "Three columns, paths without names.", THREE, "p:VALUE,q:VALUE,r:VALUE", BARE),
    by(
        "two_nulls",
        "Two columns, nulls in either.",
        {"p": (pa.string(), (None, "a")), "q": (pa.int32(), (1, None))},
        "p:VALUE,q:VALUE",
    ),
    by(
        "in_struct",
        "A column inside a struct, hive style.",
        {"st": (pa.struct([("level", pa.string())]), ({"level": "info"}, {"level": "warn"}))},
        "st.level:VALUE",
        partition_by=("st.level",),
    ),
)

WRONG = (
    by("half_spec", "Two columns of which the spec names one.", TWO, "p:VALUE"),
    by("other_column", "The spec names another column than the path.", text("1", "2"), "id:VALUE"),
    by("forgotten", "No spec for a partitioned table.", text("a", "b"), ""),
    by(
        "unknown_column",
        "The spec names a column there is not.",
        text("a", "b"),
        "nobody:VALUE",
        twin="partition_special",
    ),
    by(
        "other_int",
        "The spec names an integer column, the path holds strings.",
        text("a", "b"),
        "i:VALUE",
        twin="partition_int",
    ),
    by(
        "swapped",
        "The spec names two columns in the wrong order.",
        TWO,
        "q:VALUE,p:VALUE",
        twin="partition_two_columns",
    ),
    by(
        "day_of_string",
        "The spec makes days of a string.",
        text("2024-01-01", "2024-01-02"),
        "p:DAY:yyyy-MM-dd",
        twin="partition_day_text",
    ),
    by(
        "day_of_long",
        "The spec makes days of a long.",
        {"ms": (pa.int64(), (1_704_067_200_000, 1_704_153_600_000))},
        "ms:DAY:yyyy-MM-dd",
        {
            "hoodie.datasource.write.keygenerator.class": "org.apache.hudi.keygen.TimestampBasedKeyGenerator",
            "hoodie.keygen.timebased.timestamp.type": "EPOCHMILLISECONDS",
            "hoodie.keygen.timebased.output.dateformat": "yyyy-MM-dd",
            "hoodie.keygen.timebased.timezone": "UTC",
        },
        twin="partition_day_text",
    ),
)

HOURS = tuple(
    datetime.fromisoformat(f"2024-{text}").replace(tzinfo=UTC)
    for text in ("01-01T00:30:00", "01-01T12:30:00", "01-01T20:30:00", "01-02T05:00:00", "02-10T23:59:59.999999")
)


def by_time(name: str, description: str, path: str, spec: str, zone: str = "UTC") -> BatteryTable:
    """A table whose paths are times written in the form `path`, in a time zone; `spec` is XTable's partition spec."""
    return by(
        name,
        description,
        {"ts": (pa.timestamp("us", tz="UTC"), HOURS)},
        spec,
        {
            "hoodie.datasource.write.keygenerator.class": "org.apache.hudi.keygen.TimestampBasedKeyGenerator",
            "hoodie.keygen.timebased.timestamp.type": "SCALAR",
            "hoodie.keygen.timebased.timestamp.scalar.time.unit": "microseconds",
            "hoodie.keygen.timebased.output.dateformat": path,
            "hoodie.keygen.timebased.timezone": zone,
            "hoodie.datasource.write.row.writer.enable": "false",  # the row writer hands the key generator other units
        },
    )


TIMES = (
    by_time("by_day", "Days in UTC.", "yyyy-MM-dd", "ts:DAY:yyyy-MM-dd"),
    by_time("by_month", "Months in UTC.", "yyyy-MM", "ts:MONTH:yyyy-MM"),
    by_time("by_hour", "Hours in UTC.", "yyyy-MM-dd-HH", "ts:HOUR:yyyy-MM-dd-HH"),
    by_time("coarse_month", "Days in UTC, told as months.", "yyyy-MM-dd", "ts:MONTH:yyyy-MM-dd"),
    by_time("fine_hour", "Days in UTC, told as hours.", "yyyy-MM-dd", "ts:HOUR:yyyy-MM-dd"),
    by_time("fine_day", "Months in UTC, told as days.", "yyyy-MM", "ts:DAY:yyyy-MM"),
    by_time("kolkata_day", "Days in India's time zone.", "yyyy-MM-dd", "ts:DAY:yyyy-MM-dd", "Asia/Kolkata"),
    by_time("kolkata_hour", "Hours in India's time zone.", "yyyy-MM-dd-HH", "ts:HOUR:yyyy-MM-dd-HH", "Asia/Kolkata"),
    by_time("half_day", "Hours of a 12-hour clock.", "yyyy-MM-dd-hh", "ts:HOUR:yyyy-MM-dd-hh"),
    by_time("whole_day", "Hours of a 12-hour clock, told as 24.", "yyyy-MM-dd-hh", "ts:HOUR:yyyy-MM-dd-HH"),
)

TABLES = STRINGS + TYPED + SEVERAL + WRONG + TIMES

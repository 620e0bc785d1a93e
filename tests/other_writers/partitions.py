"""Tables partitioned by every transform, over every type that it takes, with nulls and the time before 1970."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from math import inf, nan
from typing import Any

import pyarrow as pa
from pyiceberg.transforms import BucketTransform
from pyiceberg.types import (
    BinaryType,
    DateType,
    DecimalType,
    IcebergType,
    IntegerType,
    LongType,
    StringType,
    TimestampType,
    TimestamptzType,
)

from spark_jobs.battery.partitions import RESERVED
from spark_jobs.battery.table import File, file
from spark_jobs.battery.values import EMOJI, EPOCH
from tests.other_writers.entry import Entry, rows
from xtable_audit.formats.iceberg.transforms import transformed

DAY = dt.date(1970, 1, 1)
UTC = "UTC"
TYPES: dict[str, pa.DataType] = {
    "i": pa.int32(),
    "l": pa.int64(),
    "m": pa.decimal128(10, 2),
    "day": pa.date32(),
    "at": pa.timestamp("us", UTC),
    "ntz": pa.timestamp("us"),
    "s": pa.string(),
    "bin": pa.binary(),
}
FLOATS: dict[str, pa.DataType] = {"b": pa.bool_(), "d": pa.float64(), "f": pa.float32()}


DOUBLES: dict[str, pa.DataType] = {"d": pa.float64(), "f": pa.float32()}


def numbered(types: Mapping[str, pa.DataType], *groups: Mapping[str, list[Any]]) -> File:
    """One file of the rows of all groups, with a number a row beside them."""
    columns = {name: [value for group in groups for value in group[name]] for name in types}
    return file(n=range(len(next(iter(columns.values())))), **columns)


def alike(**values: Any) -> dict[str, list[Any]]:
    """A group of two rows with the same values."""
    return {name: [value, value] for name, value in values.items()}


MOMENT = dt.datetime(1969, 12, 31, 23, 59, 59, 999999)
IDENTITY = Entry(
    "by_identity",
    (
        rows(
            {"n": pa.int32()} | TYPES | FLOATS,
            numbered(
                TYPES | FLOATS,
                alike(
                    i=-5, l=2**53 + 1, m=Decimal("-1.00"), day=dt.date(1969, 12, 31), at=MOMENT.replace(tzinfo=dt.UTC),
                    ntz=MOMENT, s="é", bin=b"\x80\xff", b=True, d=1.5, f=-0.25,
                ),
                alike(
                    i=2**31 - 1, l=-(2**63), m=Decimal("99999999.99"), day=dt.date(1, 1, 1), at=EPOCH,
                    ntz=dt.datetime(9999, 12, 31), s=EMOJI, bin=b"", b=False, d=1e300, f=-1e30,
                ),
                alike(
                    i=0, l=0, m=Decimal("0.00"), day=dt.date(9999, 12, 31), at=dt.datetime(1, 1, 1, tzinfo=dt.UTC),
                    ntz=MOMENT, s="x" * 40, bin=b"y" * 40, b=None, d=1e10, f=1e10,
                ),
                {name: [None, None] for name in TYPES | FLOATS},
            ),
        ),
    ),
    tuple((column, "identity") for column in TYPES | FLOATS),
)  # fmt: skip
NAN = Entry(
    "by_nan_and_zeros",
    (
        rows(
            {"n": pa.int32()} | DOUBLES,
            numbered(
                DOUBLES,
                *(alike(d=value, f=value) for value in (nan, -0.0, 0.0, 1.0, None)),
            ),
        ),
    ),
    (("d", "identity"), ("f", "identity")),
)
INFINITY = Entry(
    "by_infinity",
    (
        rows(
            {"n": pa.int32()} | DOUBLES,
            numbered(DOUBLES, alike(d=inf, f=-inf), alike(d=-inf, f=inf), alike(d=0.0, f=0.0)),
        ),
    ),
    (("d", "identity"), ("f", "identity")),
)
NAN_APART = Entry(
    "by_nan_apart",
    (
        rows({"n": pa.int32()} | DOUBLES, numbered(DOUBLES, alike(d=nan, f=nan))),
        rows({"n": pa.int32()} | DOUBLES, numbered(DOUBLES, alike(d=1.0, f=1.0), alike(d=None, f=None))),
    ),
    (("d", "identity"), ("f", "identity")),
)
"""In two commits: the first one's manifest holds no tuple but NaN."""
STRINGS = Entry(
    "by_string",
    (
        rows(
            {"n": pa.int32(), "p": pa.string()},
            numbered({"p": pa.string()}, *(alike(p=value) for value in (*RESERVED, "", None))),
        ),
    ),
    (("p", "identity"),),
)

BUCKETS = 3
ICEBERG: dict[str, IcebergType] = {
    "i": IntegerType(),
    "l": LongType(),
    "m": DecimalType(10, 2),
    "day": DateType(),
    "at": TimestamptzType(),
    "ntz": TimestampType(),
    "s": StringType(),
    "bin": BinaryType(),
}


def _many(column: str) -> list[Any]:
    """Values on both sides of nought, the epoch and ASCII."""
    steps = [n * 7 - 100 for n in range(40)]
    makers: dict[str, Callable[[int], Any]] = {
        "i": lambda n: n,
        "l": lambda n: n * 10**12,
        "m": lambda n: Decimal(n * 1001).scaleb(-2),
        "day": lambda n: DAY + dt.timedelta(days=n * 1000),
        "at": lambda n: EPOCH + dt.timedelta(days=n * 1000, microseconds=n),
        "ntz": lambda n: EPOCH.replace(tzinfo=None) + dt.timedelta(days=n * 1000, microseconds=n),
        "s": lambda n: f"{EMOJI if n % 2 else 'é'}{n}",
        "bin": lambda n: bytes([n % 256, 255, 0]),
    }
    return [makers[column](n) for n in steps]


def _in_bucket(column: str, bucket: int) -> list[Any]:
    """Four values of that bucket, so that one tuple covers values that differ."""
    values = _many(column)
    buckets = transformed(pa.array(values, TYPES[column]), ICEBERG[column], BucketTransform(BUCKETS))  # type: ignore[arg-type]
    return [value for value, its in zip(values, buckets.to_pylist(), strict=True) if its == bucket][:4]


BUCKET = Entry(
    "by_bucket",
    (
        rows(
            {"n": pa.int32()} | TYPES,
            numbered(
                TYPES,
                *({column: _in_bucket(column, bucket) for column in TYPES} for bucket in range(BUCKETS)),
                {name: [None, None] for name in TYPES},
            ),
        ),
    ),
    tuple((column, f"bucket[{BUCKETS}]") for column in TYPES),
)
TRUNCATE = Entry(
    "by_truncate",
    (
        rows(
            {"n": pa.int32()} | {name: TYPES[name] for name in ("i", "l", "m", "s", "bin")},
            numbered(
                {name: TYPES[name] for name in ("i", "l", "m", "s", "bin")},
                {
                    "i": [-10, -1], "l": [-100, -91], "m": [Decimal("-0.50"), Decimal("-0.01")],
                    "s": [f"é{EMOJI}ab", f"é{EMOJI}az"], "bin": [b"\x80\xff\x00\x01", b"\x80\xff\x00"],
                },
                {
                    "i": [0, 9], "l": [10**18, 10**18 + 9], "m": [Decimal("0.00"), Decimal("0.49")],
                    "s": ["", ""], "bin": [b"", b""],
                },
                {
                    "i": [2**31 - 8, 2**31 - 1], "l": [2**63 - 8, 2**63 - 1], "m": [Decimal("9.99"), Decimal("9.50")],
                    "s": ["ab", "ab"], "bin": [b"\xff\xff\xff", b"\xff\xff\xff\xff"],
                },
                {name: [None, None] for name in ("i", "l", "m", "s", "bin")},
            ),
        ),
    ),
    (("i", "truncate[10]"), ("l", "truncate[10]"), ("m", "truncate[50]"), ("s", "truncate[3]"), ("bin", "truncate[3]")),
)  # fmt: skip

PERIODS = ("year", "month", "day", "hour")
KINDS = {"date": pa.date32(), "at": pa.timestamp("us", UTC), "ntz": pa.timestamp("us")}
STARTS = (
    dt.datetime(1, 1, 1),
    dt.datetime(1899, 1, 1),
    dt.datetime(1969, 1, 1),
    dt.datetime(1970, 1, 1),
    dt.datetime(2024, 1, 1),
    dt.datetime(9999, 1, 1),
)
LAST = {
    "year": dt.timedelta(days=365, microseconds=-1),
    "month": dt.timedelta(days=31, microseconds=-1),
    "day": dt.timedelta(days=1, microseconds=-1),
    "hour": dt.timedelta(hours=1, microseconds=-1),
}
"""From the start of a period to its last moment."""


def _time_columns() -> Iterator[tuple[str, str, str]]:
    """Name, period and kind of each."""
    for period in PERIODS:
        for kind in KINDS:
            if (period, kind) != ("hour", "date"):
                yield f"{period}_{kind}", period, kind


def _moments(start: dt.datetime, period: str, kind: str) -> list[Any]:
    """The first moment of a period, one in its middle and its last one."""
    moments = [start, start + LAST[period] / 2, start + LAST[period]]
    of_kind: dict[str, list[Any]] = {
        "date": [one.date() for one in moments],
        "at": [one.replace(tzinfo=dt.UTC) for one in moments],
        "ntz": moments,
    }
    return of_kind[kind]


TIME = {name: KINDS[kind] for name, _, kind in _time_columns()}
PERIOD = Entry(
    "by_period",
    (
        rows(
            {"n": pa.int32()} | TIME,
            numbered(
                TIME,
                *({name: _moments(start, period, kind) for name, period, kind in _time_columns()} for start in STARTS),
                {name: [None, None, None] for name in TIME},
            ),
        ),
    ),
    tuple((name, period) for name, period, _ in _time_columns()),
)

PARTITIONS = (IDENTITY, NAN, INFINITY, NAN_APART, STRINGS, BUCKET, TRUNCATE, PERIOD)

"""Tables of the battery's values, at the edges of every type: plain files, and one of several row groups."""

from __future__ import annotations

import datetime as dt
from math import nan
from uuid import UUID

import pyarrow as pa

from spark_jobs.battery.table import KEY, BatteryTable, File, Write, file
from spark_jobs.battery.tables import BATTERY
from spark_jobs.battery.values import EMOJI, EPOCH, MICROSECOND
from spark_jobs.battery.variants import grouped
from tests.other_writers.entry import Entry, rows

FAMILIES = (
    "nan",
    "float_edges",
    "ints",
    "strings",
    "long_strings",
    "emoji",
    "binary",
    "decimal_ints",
    "times",
    "dates",
    "lost_days",
    "year_10000",
    "nested",
    "lists",
    "nulls",
)


def of_battery(family: str) -> Entry:
    """The files of `types_<family>_plain`, and one of all their rows, many times over, in several row groups."""
    plain = BATTERY.get(f"types_{family}_plain")
    if plain is None:
        return Entry(family, (_rows(BATTERY[f"types_{family}_groups"]),))
    one_by_one = _rows(plain)
    return Entry(family, (Write("append", (*one_by_one.files, grouped(one_by_one.files)), one_by_one.schema),))


def _rows(table: BatteryTable) -> Write:
    """Without the record key, which Hudi alone requires."""
    (step,) = table.steps
    assert isinstance(step.action, Write)
    kept = {field.name: field.type for field in step.action.schema if field.name != KEY}
    return rows(kept, *(File({name: one.columns[name] for name in kept}) for one in step.action.files))


LOCAL = EPOCH.replace(tzinfo=None)
WITHOUT_ZONE = Entry(
    "times_without_zone",
    (
        rows(
            {"at": pa.timestamp("us")},
            file(at=[LOCAL - MICROSECOND, LOCAL + MICROSECOND]),
            file(at=[dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59, 999999)]),
            file(at=[None, dt.datetime(1582, 10, 10), dt.datetime(1900, 1, 1)]),
            file(at=[None, None]),
        ),
    ),
)
TRUNCATED = Entry(
    "truncated",
    (
        rows(
            {"s": pa.string(), "b": pa.binary()},
            file(s=["a" * 16, "a" * 17], b=[b"a" * 16, b"a" * 17]),
            file(s=["é" * 40, EMOJI * 40], b=[b"\x80" * 40, b"\xfe" * 40]),
            # What cannot be raised: the last code point, the one before the surrogates, the highest byte.
            file(s=["\U0010ffff" * 20, "b" * 15 + "\U0010ffff" * 5], b=[b"\xff" * 20, b"b" * 15 + b"\xff" * 5]),
            file(s=["b" * 15 + "\U0010ffff" * 5, "a"], b=[b"b" * 15 + b"\xff" * 5, b"a"]),
            file(s=["b" * 15 + "\ud7ff" * 5, "\uffff" * 20], b=[b"", b"\x00" * 20]),
            file(s=["", "\x00" * 20], b=[None, b"\x7f" * 17]),
        ),
    ),
)
NAN_INSIDE = Entry(
    "nan_inside",
    (
        rows(
            {"st": pa.struct([("d", pa.float64()), ("f", pa.float32())])},
            file(st=[{"d": nan, "f": -0.0}, {"d": 1.0, "f": 0.0}]),
            file(st=[{"d": nan, "f": nan}, {"d": nan, "f": None}]),
            file(st=[{"d": -0.0, "f": nan}, None]),
        ),
    ),
)

VALUES = (*(of_battery(family) for family in FAMILIES), WITHOUT_ZONE, TRUNCATED, NAN_INSIDE)

OF_TRINO = Entry(
    "times_of_day_and_uuids",
    (
        rows(
            {"t": pa.time64("us"), "u": pa.uuid()},
            file(t=[dt.time(0), dt.time(23, 59, 59, 999999)], u=[UUID(int=1).bytes, UUID(int=2**127).bytes]),
            file(t=[dt.time(12, 30), None], u=[UUID(int=2**128 - 1).bytes, None]),
        ),
    ),
)
"""Of types that Spark has not."""

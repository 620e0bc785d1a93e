"""A column of a Paimon table: its type in the words of the register, and what the bounds of one file show of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from xtable_audit.formats.footers import GREGORIAN, MILLISECOND, SECOND, is_rounded_up
from xtable_audit.formats.paimon.manifests import ColumnStatistics
from xtable_audit.formats.paimon.snapshots import SchemaField
from xtable_audit.model.source_fact import ColumnFact

# Paimon's types in the words of the register: TINYINT is a byte, TIMESTAMP(3) a timestamp_ntz.

TYPES = {
    "BOOLEAN": "boolean", "TINYINT": "byte", "SMALLINT": "short", "INT": "int", "INTEGER": "int", "BIGINT": "long",
    "FLOAT": "float", "DOUBLE": "double", "DECIMAL": "decimal", "CHAR": "string", "VARCHAR": "string",
    "STRING": "string", "BINARY": "bytes", "VARBINARY": "bytes", "BYTES": "bytes", "DATE": "date", "TIME": "time",
}  # fmt: skip
"""By the first word of a type."""
TIMESTAMP = re.compile(r"TIMESTAMP(_LTZ)?(?:\(([0-9]+)\))?( WITH LOCAL TIME ZONE)?")
DECIMAL = re.compile(r"DECIMAL(?:\(([0-9]+)(?:, *([0-9]+))?\))?")
DEFAULT_PRECISION = 6
"""Of a timestamp (Paimon, TimestampType)."""
DEFAULT_DIGITS = (10, 0)
"""Of a decimal (Paimon, DecimalType)."""
MILLIS, MICROS = 3, 6
"""The precisions up to which XTable takes a timestamp for one of milliseconds, and of microseconds."""


def leaf_type(field: SchemaField) -> str:
    """One of LEAF_TYPES."""
    if stamp := TIMESTAMP.fullmatch(field.type):
        return "timestamp" if stamp[1] or stamp[3] else "timestamp_ntz"
    return TYPES.get(re.split(r"[ (]", field.type)[0], "other")


def precision(field: SchemaField) -> int:
    """Of a timestamp: its digits after the second."""
    stamp = TIMESTAMP.fullmatch(field.type)
    return int(stamp[2]) if stamp and stamp[2] else DEFAULT_PRECISION


def digits(field: SchemaField) -> tuple[int, int]:
    """Of a decimal: all of them, and those after the point."""
    decimal = DECIMAL.fullmatch(field.type)
    if decimal is None or decimal[1] is None:
        return DEFAULT_DIGITS
    return int(decimal[1]), int(decimal[2] or 0)


# What the bounds in Paimon's manifests show of a column of one file, by the type that the file was written with.

WIDTHS = {"byte": 1, "short": 2}
"""Bytes of the types of whose minima XTable reads more."""


def of_bounds(field: SchemaField, statistics: ColumnStatistics, place: int) -> Iterator[ColumnFact]:
    """`place` is that of the column in the statistics, which have both bounds of it. Raises ValueError for a row that
    is too short.
    """
    kind = leaf_type(field)
    if kind in WIDTHS and statistics.minima.integer(place, WIDTHS[kind]) < 0:
        yield ColumnFact.MANIFEST_BELOW_ZERO
    if kind.startswith("timestamp"):
        yield from _of_timestamps(precision(field), statistics, place)
    if kind == "decimal":
        of_all, after_point = digits(field)
        bounds = (row.unscaled(place, of_all) for row in (statistics.minima, statistics.maxima))
        if any(is_rounded_up(bound, of_all, after_point) for bound in bounds):
            yield ColumnFact.DOUBLE_DIGITS


def _of_timestamps(precision: int, statistics: ColumnStatistics, place: int) -> Iterator[ColumnFact]:
    lower, upper = (row.micros(place, precision) for row in (statistics.minima, statistics.maxima))
    if precision <= MICROS and upper % SECOND >= MILLISECOND:
        yield ColumnFact.MILLISECOND_PART
    if precision <= MICROS and min(lower, upper) < GREGORIAN:
        yield ColumnFact.BEFORE_1582
    if precision > MILLIS and any(bound < 0 and bound % SECOND for bound in (lower, upper)):
        yield ColumnFact.BEFORE_1970

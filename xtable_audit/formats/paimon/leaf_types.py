"""Paimon's types in the words of the register: TINYINT is a byte, TIMESTAMP(3) a timestamp_ntz."""

from __future__ import annotations

import re

from xtable_audit.formats.paimon.snapshots import SchemaField

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

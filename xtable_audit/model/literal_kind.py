"""What a literal must be to be compared with a column."""

from __future__ import annotations

from enum import Enum

import pyarrow as pa


class LiteralKind(Enum):
    INTEGER = "integer"
    FLOAT = "float"
    DECIMAL = "decimal"
    BOOLEAN = "boolean"
    TEXT = "text"
    DATE = "date"
    TIME = "time"
    TIMESTAMP = "timestamp"
    TIMESTAMP_WITH_ZONE = "timestamp with zone"
    UUID = "uuid"
    FIXED = "fixed"
    """Bytes of one length, that of the column's type."""
    BINARY = "binary"


def kind_by_arrow(type: pa.DataType) -> LiteralKind | None:
    """By the column's type in Arrow, which has every kind but UUID and FIXED: their values are bytes there."""
    if pa.types.is_timestamp(type):
        return LiteralKind.TIMESTAMP_WITH_ZONE if type.tz else LiteralKind.TIMESTAMP
    return next((kind for holds, kind in BY_ARROW if holds(type)), None)


BY_ARROW = (
    (pa.types.is_integer, LiteralKind.INTEGER),
    (pa.types.is_floating, LiteralKind.FLOAT),
    (pa.types.is_decimal, LiteralKind.DECIMAL),
    (pa.types.is_boolean, LiteralKind.BOOLEAN),
    (pa.types.is_string, LiteralKind.TEXT),
    (pa.types.is_date, LiteralKind.DATE),
    (pa.types.is_time, LiteralKind.TIME),
    (pa.types.is_binary, LiteralKind.BINARY),
)

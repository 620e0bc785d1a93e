"""The next greater and the next smaller value of every type: the smallest fault a bound can have."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from typing import Any

import numpy as np
from pyiceberg.types import DateType, FloatType, PrimitiveType

TICK = dt.timedelta(microseconds=1)
SOME_DAY = dt.date(2000, 1, 1)


def up(value: Any, type: PrimitiveType) -> Any:
    """One unit more; for text and bytes the very next value, or the last byte of fixed ones raised."""
    match value:
        case str():
            return value + "\0"
        case bytes():
            return value[:-1] + bytes([value[-1] + 1]) if str(type).startswith("fixed") else value + b"\0"
    return _step(value, type, 1)


def down(value: Any, type: PrimitiveType) -> Any:
    """One unit less; for text and bytes the last character lowered, or cut off where it is the lowest."""
    match value:
        case str():
            return value[:-1] + (chr(ord(value[-1]) - 1) if value[-1] != "\0" else "")
        case bytes():
            return value[:-1] + (bytes([value[-1] - 1]) if value[-1] else b"")
    return _step(value, type, -1)


def _step(value: Any, type: PrimitiveType, sign: int) -> Any:
    match value:
        case bool():
            return sign > 0
        case int():
            return value + sign
        case float() if isinstance(type, FloatType):
            return float(np.nextafter(np.float32(value), np.float32(sign * math.inf)))
        case float():
            return math.nextafter(value, sign * math.inf)
        case Decimal():
            return value + sign * Decimal(1).scaleb(int(value.as_tuple().exponent))
        case dt.datetime():
            return value + sign * TICK
        case dt.date() if isinstance(type, DateType):
            return value + dt.timedelta(days=sign)
        case dt.time():
            return (dt.datetime.combine(SOME_DAY, value) + sign * TICK).time()
    raise TypeError(f"{value!r} has no unit")

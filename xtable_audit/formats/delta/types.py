"""Types of Delta as Arrow's, and the values that the log writes as text (Delta protocol, Per-file Statistics and
Partition Value Serialization).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from decimal import Context, Decimal, InvalidOperation
from typing import Any

import pyarrow as pa

from xtable_audit.formats.delta.statistics import LoggedNumber

DECIMAL = re.compile(r"decimal\((\d+),\s*(-?\d+)\)")
ARROW = {
    "boolean": pa.bool_(),
    "byte": pa.int32(),
    "short": pa.int32(),
    "integer": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
}
"""Of a byte, more than its values: a writer that forgets the sign claims one of them as 251."""
BINARY = "binary"
"""Of which delta-rs writes no null count either."""
UNORDERED = ("boolean", BINARY)
"""Types whose bounds Delta's writers leave out."""
NOT_FINITE = {"NaN": "nan", "Infinity": "inf", "+Infinity": "inf", "INF": "inf", "+INF": "inf"} | dict.fromkeys(
    ("-Infinity", "-INF"), "-inf"
)
EXACT = Context(prec=100)
"""Of more digits than a decimal of Delta's has."""
WHOLE = re.compile(r"[+-]?\d+")
TIME = re.compile(
    r"(?P<day>[+-]?\d{4,6}-\d{1,2}-\d{1,2})"
    r"(?:[T ](?P<hour>\d{1,2}):(?P<minute>\d{1,2})(?::(?P<second>\d{1,2})(?:\.(?P<fraction>\d{1,9}))?)?)?"
    r" ?(?P<zone>Z|UTC|GMT|[+-]\d{2}:?\d{2})?"
)
MICROS = 1_000_000
A_DAY = 86_400 * MICROS


class NoValue(Exception):
    """A text or number of the log is no value of the type."""


def arrow_of(type: str) -> pa.DataType | None:
    """The type of a leaf column; None for one that is not judged."""
    if found := DECIMAL.fullmatch(type):
        precision, scale = int(found[1]), int(found[2])
        return pa.decimal128(precision, scale) if 0 < precision <= 38 and 0 <= scale <= precision else None
    return ARROW.get(type)


def in_statistics(value: Any, kind: pa.DataType) -> Any:
    """A bound as Arrow stores one of this type: dates and timestamps as numbers. Raises NoValue."""
    try:
        return _bound(value, kind)
    except (ValueError, OverflowError) as error:
        raise NoValue from error


def in_partition(text: str, kind: pa.DataType) -> Any:
    """A partition value, which is not empty, likewise. Raises NoValue."""
    try:
        return _of_text(text, kind)
    except (ValueError, OverflowError, KeyError) as error:
        raise NoValue from error


def _bound(value: Any, kind: pa.DataType) -> Any:
    if isinstance(value, LoggedNumber):
        if _is_number(kind):
            return _number(value, kind)
    elif isinstance(value, bool):
        if pa.types.is_boolean(kind):
            return value
    elif isinstance(value, str):
        if pa.types.is_floating(kind):
            return _named(value)
        if pa.types.is_decimal(kind):
            return _decimal(value, kind)
        if not _is_number(kind) and not pa.types.is_boolean(kind):
            return OF_TEXT[_family(kind)](value)
    raise ValueError


def _of_text(text: str, kind: pa.DataType) -> Any:
    if pa.types.is_boolean(kind):
        return {"true": True, "false": False}[text.lower()]
    if pa.types.is_floating(kind) and text in NOT_FINITE:
        return float(NOT_FINITE[text])
    return _number(text, kind) if _is_number(kind) else OF_TEXT[_family(kind)](text)


def array_of(values: list[Any], kind: pa.DataType) -> pa.Array:
    """An array of values as `in_statistics` and `in_partition` return them."""
    if pa.types.is_timestamp(kind):
        return pa.array(values, pa.int64()).cast(kind)
    return pa.array(values, pa.int32()).cast(kind) if pa.types.is_date32(kind) else pa.array(values, kind)


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _number(text: str, kind: pa.DataType) -> Any:
    if pa.types.is_floating(kind):
        return float(text)
    return _decimal(text, kind) if pa.types.is_decimal(kind) else _whole(text, kind)


def _whole(text: str, kind: pa.DataType) -> int:
    if not WHOLE.fullmatch(text):
        raise ValueError
    number = int(text)
    if not -(1 << (kind.bit_width - 1)) <= number < 1 << (kind.bit_width - 1):
        raise ValueError
    return number


def _named(text: str) -> float:
    """A number that JSON has none for."""
    if text not in NOT_FINITE:
        raise ValueError
    return float(NOT_FINITE[text])


def _decimal(text: str, kind: pa.DataType) -> Decimal:
    try:
        number = Decimal(text)
        if not number.is_finite() or (number and number.adjusted() >= kind.precision - kind.scale):
            raise ValueError
        exact = number.quantize(Decimal(1).scaleb(-kind.scale), context=EXACT)
    except InvalidOperation as error:
        raise ValueError from error
    if exact != number:
        raise ValueError
    return exact


def _date(text: str) -> int:
    if not re.fullmatch(r"[+-]?\d{4,6}-\d{1,2}-\d{1,2}", text):
        raise ValueError
    return _days(text)


def _days(text: str) -> int:
    """Since 1970, also beyond the years that Python has: the calendar repeats after 400."""
    year, month, day = (int(part) for part in text.rsplit("-", 2))
    rounds = (year - 1) // 400
    return (date(year - 400 * rounds, month, day) - date(1970, 1, 1)).days + rounds * 146_097


def _timestamp(text: str) -> int:
    """In microseconds since 1970 UTC; without a zone, it is taken for UTC."""
    found = TIME.fullmatch(text)
    if found is None:
        raise ValueError
    hour, minute, second = (int(found[name] or 0) for name in ("hour", "minute", "second"))
    if hour > 23 or minute > 59 or second > 59:
        raise ValueError
    micros = int((found["fraction"] or "0").ljust(9, "0")[:6])
    zone = found["zone"] or "Z"
    shift = 0
    if zone[0] in "+-":
        shift = (int(zone[1:3]) * 60 + int(zone[-2:])) * (1 if zone[0] == "+" else -1)
    return _days(found["day"]) * A_DAY + ((hour * 60 + minute - shift) * 60 + second) * MICROS + micros


def _family(kind: pa.DataType) -> str:
    if pa.types.is_timestamp(kind):
        return "timestamp"
    return "date" if pa.types.is_date32(kind) else "string" if pa.types.is_string(kind) else "binary"


OF_TEXT: Mapping[str, Callable[[str], Any]] = {
    "timestamp": _timestamp,
    "date": _date,
    "string": str,
    "binary": lambda text: text.encode("utf-8", "surrogatepass"),
}

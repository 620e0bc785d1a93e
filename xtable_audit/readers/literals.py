"""Values as literals of each engine's SQL: the standard, and each engine's differences."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any


class Literals:
    """Standard SQL: `literals(value)` is the text of a value. Dialects override what differs."""

    def __call__(self, value: Any) -> str:
        match value:
            case bool():
                return self.boolean(value)
            case float():
                return self.double(value)
            case Decimal():
                return self.decimal(value)
            case dt.datetime():
                return self.moment(value)
            case dt.date():
                return self.day(value)
            case bytes():
                return self.binary(value)
            case str():
                return self.text(value)
        return repr(value)

    def boolean(self, value: bool) -> str:
        return str(value).upper()

    def double(self, value: float) -> str:
        return repr(value)

    def decimal(self, value: Decimal) -> str:
        return format(value, "f")

    def moment(self, value: dt.datetime) -> str:
        kind = "TIMESTAMP" if value.tzinfo is None else "TIMESTAMPTZ"
        return f"{kind} '{value.isoformat(sep=' ')}'"

    def day(self, value: dt.date) -> str:
        return f"DATE '{value.isoformat()}'"

    def binary(self, value: bytes) -> str:
        return f"X'{value.hex()}'"

    def text(self, value: str) -> str:
        return "'" + value.replace("'", "''") + "'"


class DuckDBLiterals(Literals):
    def double(self, value: float) -> str:
        return repr(value) if is_finite(value) else f"'{value}'::DOUBLE"

    def binary(self, value: bytes) -> str:
        return "'" + "".join(f"\\x{byte:02x}" for byte in value) + "'::BLOB"


class ClickHouseLiterals(Literals):
    def boolean(self, value: bool) -> str:
        return str(value).lower()

    def decimal(self, value: Decimal) -> str:
        return f"toDecimal128('{value:f}', {max(0, -int(value.as_tuple().exponent))})"

    def moment(self, value: dt.datetime) -> str:
        return f"fromUnixTimestamp64Micro(toInt64({microseconds(value)}), 'UTC')"

    def day(self, value: dt.date) -> str:
        return f"toDate32('{value.isoformat()}')"

    def binary(self, value: bytes) -> str:
        return f"unhex('{value.hex()}')"

    def text(self, value: str) -> str:
        return with_backslashes(value)


class DataFusionLiterals(Literals):
    """A literal TIMESTAMP has nanoseconds in DataFusion, which end in the year 2262; a bare 1.5 is a double."""

    def double(self, value: float) -> str:
        return repr(value) if is_finite(value) else f"CAST('{value}' AS DOUBLE)"

    def decimal(self, value: Decimal) -> str:
        scale = max(0, -int(value.as_tuple().exponent))
        return f"CAST('{value:f}' AS DECIMAL(38, {scale}))"

    def moment(self, value: dt.datetime) -> str:
        zone = "None" if value.tzinfo is None else 'Some("UTC")'
        return f"arrow_cast('{value.isoformat()}', 'Timestamp(Microsecond, {zone})')"


class SparkLiterals(Literals):
    def double(self, value: float) -> str:
        return f"{value!r}D" if is_finite(value) else f"double('{value}')"

    def decimal(self, value: Decimal) -> str:
        return f"{value:f}BD"

    def moment(self, value: dt.datetime) -> str:
        kind = "TIMESTAMP_NTZ" if value.tzinfo is None else "TIMESTAMP_LTZ"
        return f"{kind} '{value.isoformat(sep=' ')}'"

    def text(self, value: str) -> str:
        return with_backslashes(value)


class FireboltLiterals(Literals):
    """Decimals have no type: Firebolt refuses casts between two precisions."""

    def double(self, value: float) -> str:
        return f"'{value!r}'::DOUBLE PRECISION"

    def binary(self, value: bytes) -> str:
        return f"'\\x{value.hex()}'::BYTEA"


class TrinoLiterals(Literals):
    """Doubles need a type: Trino reads a bare 0.1 as a decimal."""

    def double(self, value: float) -> str:
        return f"DOUBLE '{_JAVA_FLOATS.get(repr(value), repr(value))}'"

    def decimal(self, value: Decimal) -> str:
        return f"DECIMAL '{value:f}'"

    def moment(self, value: dt.datetime) -> str:
        if value.tzinfo is None:
            return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
        return f"TIMESTAMP '{value.astimezone(dt.UTC).replace(tzinfo=None).isoformat(sep=' ')} UTC'"


_JAVA_FLOATS = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def is_finite(value: float) -> bool:
    return value == value and value not in (float("inf"), float("-inf"))


def with_backslashes(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def microseconds(value: dt.datetime) -> int:
    """Microseconds since 1970 in UTC; a datetime without a zone counts as UTC. Exact, unlike `timestamp()`."""
    zoned = value if value.tzinfo else value.replace(tzinfo=dt.UTC)
    return (zoned - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)) // dt.timedelta(microseconds=1)

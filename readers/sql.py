"""Predicates as SQL, for the readers that speak it. A dialect is what differs between two of them."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from audit.predicate import And, Compare, In, IsNull, Or, Predicate, StartsWith


@dataclass(frozen=True)
class Dialect:
    """How one engine writes a column's name, a value, and "begins with"."""

    column: Callable[[str], str]
    literal: Callable[[Any], str]
    starts_with: str
    """The function's name: `f(column, prefix)`."""

    def render(self, predicate: Predicate) -> str:
        match predicate:
            case And(left, right):
                return f"({self.render(left)}) AND ({self.render(right)})"
            case Or(left, right):
                return f"({self.render(left)}) OR ({self.render(right)})"
            case Compare(column, operator, value):
                return f"{self.column(column)} {operator} {self.literal(value)}"
            case In(column, values, negated):
                listed = ", ".join(self.literal(value) for value in values)
                return f"{self.column(column)} {'NOT IN' if negated else 'IN'} ({listed})"
            case IsNull(column, negated):
                return f"{self.column(column)} IS {'NOT NULL' if negated else 'NULL'}"
            case StartsWith(column, prefix):
                return self.begins(column, prefix)
        raise TypeError(f"no SQL for a {type(predicate).__name__}")

    def begins(self, column: str, prefix: str) -> str:
        return f"{self.starts_with}({self.column(column)}, {self.literal(prefix)})"

    def over(self, columns: Collection[str]) -> Dialect:
        """For a table of these columns, where a dotted name that is none of them is the path of a nested one."""

        def column(name: str) -> str:
            return ".".join(map(self.column, [name] if name in columns else name.split(".")))

        return replace(self, column=column)

    def where(self, predicate: Predicate | None) -> str:
        return "" if predicate is None else f" WHERE {self.render(predicate)}"


class _Firebolt(Dialect):
    """Documents no function for "begins with", and no escape in LIKE."""

    def begins(self, column: str, prefix: str) -> str:
        if set(prefix) & set("%_\\"):
            return f"{self.starts_with}({self.column(column)}, {self.literal(prefix)}) = 1"
        return f"{self.column(column)} LIKE {self.literal(prefix + '%')}"


class _Trino(Dialect):
    """Plans files by LIKE, but not by its function `starts_with` (seen with 476)."""

    def begins(self, column: str, prefix: str) -> str:
        escaped = re.sub(r"([%_\\])", r"\\\1", prefix)
        escape = "" if escaped == prefix else r" ESCAPE '\'"
        return f"{self.column(column)} LIKE {self.literal(escaped + '%')}{escape}"


def _duckdb_literal(value: Any) -> str:
    match value:
        case bool():
            return str(value).upper()
        case float() if value != value or value in (float("inf"), float("-inf")):
            return f"'{value}'::DOUBLE"
        case Decimal():
            return format(value, "f")
        case dt.datetime():
            kind = "TIMESTAMP" if value.tzinfo is None else "TIMESTAMPTZ"
            return f"{kind} '{value.isoformat(sep=' ')}'"
        case dt.date():
            return f"DATE '{value.isoformat()}'"
        case bytes():
            return "'" + "".join(f"\\x{byte:02x}" for byte in value) + "'::BLOB"
        case str():
            return "'" + value.replace("'", "''") + "'"
    return repr(value)


def _clickhouse_literal(value: Any) -> str:
    match value:
        case bool():
            return str(value).lower()
        case Decimal():
            return f"toDecimal128('{value:f}', {max(0, -int(value.as_tuple().exponent))})"
        case dt.datetime():
            return f"fromUnixTimestamp64Micro(toInt64({microseconds(value)}), 'UTC')"
        case dt.date():
            return f"toDate32('{value.isoformat()}')"
        case bytes():
            return f"unhex('{value.hex()}')"
        case str():
            return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return repr(value)


def _spark_literal(value: Any) -> str:
    match value:
        case bool():
            return str(value).upper()
        case float() if value != value or value in (float("inf"), float("-inf")):
            return f"double('{value}')"
        case float():
            return f"{value!r}D"
        case Decimal():
            return f"{value:f}BD"
        case dt.datetime():
            kind = "TIMESTAMP_NTZ" if value.tzinfo is None else "TIMESTAMP_LTZ"
            return f"{kind} '{value.isoformat(sep=' ')}'"
        case dt.date():
            return f"DATE '{value.isoformat()}'"
        case bytes():
            return f"X'{value.hex()}'"
        case str():
            return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return repr(value)


def _firebolt_literal(value: Any) -> str:
    match value:
        case bool():
            return str(value).upper()
        case float():
            return f"'{value!r}'::DOUBLE PRECISION"
        case Decimal():
            return format(value, "f")  # bare: casts between two precisions are refused
        case dt.datetime():
            kind = "TIMESTAMP" if value.tzinfo is None else "TIMESTAMPTZ"
            return f"{kind} '{value.isoformat(sep=' ')}'"
        case dt.date():
            return f"DATE '{value.isoformat()}'"
        case bytes():
            return f"'\\x{value.hex()}'::BYTEA"
        case str():
            return "'" + value.replace("'", "''") + "'"
    return repr(value)


def _trino_literal(value: Any) -> str:
    match value:
        case bool():
            return str(value).upper()
        case float():
            return f"DOUBLE '{_JAVA_FLOATS.get(repr(value), repr(value))}'"  # a bare 0.1 is a decimal
        case Decimal():
            return f"DECIMAL '{value:f}'"
        case dt.datetime() if value.tzinfo is not None:
            return f"TIMESTAMP '{value.astimezone(dt.UTC).replace(tzinfo=None).isoformat(sep=' ')} UTC'"
        case dt.datetime():
            return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
        case dt.date():
            return f"DATE '{value.isoformat()}'"
        case bytes():
            return f"X'{value.hex()}'"
        case str():
            return "'" + value.replace("'", "''") + "'"
    return repr(value)


_JAVA_FLOATS = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def microseconds(value: dt.datetime) -> int:
    """Since 1970 in UTC; a datetime without zone is taken as UTC. Exact, unlike `timestamp()`."""
    zoned = value if value.tzinfo else value.replace(tzinfo=dt.UTC)
    return (zoned - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)) // dt.timedelta(microseconds=1)


DUCKDB = Dialect(lambda name: '"' + name.replace('"', '""') + '"', _duckdb_literal, "starts_with")
CLICKHOUSE = Dialect(
    lambda name: "`" + name.replace("\\", "\\\\").replace("`", "\\`") + "`", _clickhouse_literal, "startsWith"
)
SPARK = Dialect(lambda name: "`" + name.replace("`", "``") + "`", _spark_literal, "startswith")
FIREBOLT = _Firebolt(DUCKDB.column, _firebolt_literal, "STRPOS")
TRINO = _Trino(DUCKDB.column, _trino_literal, "starts_with")

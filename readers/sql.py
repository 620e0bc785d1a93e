"""Predicates as SQL, for the readers that speak it. A dialect is what differs between two of them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
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
                return f"{self.starts_with}({self.column(column)}, {self.literal(prefix)})"
        raise TypeError(f"no SQL for a {type(predicate).__name__}")

    def where(self, predicate: Predicate | None) -> str:
        return "" if predicate is None else f" WHERE {self.render(predicate)}"


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


def microseconds(value: dt.datetime) -> int:
    """Since 1970 in UTC; a datetime without zone is taken as UTC. Exact, unlike `timestamp()`."""
    zoned = value if value.tzinfo else value.replace(tzinfo=dt.UTC)
    return (zoned - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)) // dt.timedelta(microseconds=1)


DUCKDB = Dialect(lambda name: '"' + name.replace('"', '""') + '"', _duckdb_literal, "starts_with")
CLICKHOUSE = Dialect(
    lambda name: "`" + name.replace("\\", "\\\\").replace("`", "\\`") + "`", _clickhouse_literal, "startsWith"
)

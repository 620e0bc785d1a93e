"""Predicates as SQL. A dialect has what differs between engines: the literals of values, and more."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from xtable_audit.model.aggregate import Applied
from xtable_audit.model.predicate import And, Compare, In, IsNull, Or, Predicate, StartsWith


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


FUNCTIONS: Mapping[Applied, str] = {
    "date": "CAST({} AS DATE)",
    "month": "EXTRACT(MONTH FROM {})",
    "lower": "lower({})",
    "abs": "abs({})",
    "text": "CAST({} AS VARCHAR)",
}
"""Of a column."""


@dataclass(frozen=True)
class Dialect:
    """How one engine writes a column's name, a value, and "starts with"."""

    column: Callable[[str], str]
    literal: Callable[[Any], str]
    starts_with: str
    """The function's name: `f(column, prefix)`."""
    functions: Mapping[Applied, str] = field(default_factory=lambda: FUNCTIONS)
    types: Mapping[str, str] = field(default_factory=dict)
    """Column to the name of its type, for a dialect over a table whose types are known."""

    def render(self, predicate: Predicate) -> str:
        match predicate:
            case And(left, right):
                return f"({self.render(left)}) AND ({self.render(right)})"
            case Or(left, right):
                return f"({self.render(left)}) OR ({self.render(right)})"
            case Compare(column, operator, value):
                return f"{self.column(column)} {operator} {self.operand(column, value)}"
            case In(column, values, negated):
                listed = ", ".join(self.operand(column, value) for value in values)
                return f"{self.column(column)} {'NOT IN' if negated else 'IN'} ({listed})"
            case IsNull(column, negated):
                return f"{self.column(column)} IS {'NOT NULL' if negated else 'NULL'}"
            case StartsWith(column, prefix):
                return self.begins(column, prefix)
        raise TypeError(f"no SQL for a {type(predicate).__name__}")

    def begins(self, column: str, prefix: str) -> str:
        return f"{self.starts_with}({self.column(column)}, {self.literal(prefix)})"

    def operand(self, column: str, value: Any) -> str:
        """The literal that a column is compared with."""
        return self.literal(value)

    def key(self, column: str, value: Any) -> str:
        """The value as one of the column's own type, if that is known, so that a join compares without a cast."""
        kind, literal = self.types.get(column), self.operand(column, value)
        return literal if kind is None else f"CAST({literal} AS {kind})"

    def over(self, columns: Collection[str], types: Mapping[str, str] | None = None) -> Dialect:
        """The dialect for a table of these columns. A dotted name that is not among them is a nested column's path."""

        def column(name: str) -> str:
            return ".".join(map(self.column, [name] if name in columns else name.split(".")))

        return replace(self, column=column, types=types or {})

    def where(self, predicate: Predicate | None) -> str:
        return "" if predicate is None else f" WHERE {self.render(predicate)}"


class _Firebolt(Dialect):
    """Firebolt documents neither a function for "starts with" nor an escape in LIKE."""

    def begins(self, column: str, prefix: str) -> str:
        if set(prefix) & set("%_\\"):
            return f"{self.starts_with}({self.column(column)}, {self.literal(prefix)}) = 1"
        return f"{self.column(column)} LIKE {self.literal(prefix + '%')}"


class _Trino(Dialect):
    """Trino prunes files by LIKE, but not by its function `starts_with` (seen with 476)."""

    def begins(self, column: str, prefix: str) -> str:
        escaped = re.sub(r"([%_\\])", r"\\\1", prefix)
        escape = "" if escaped == prefix else r" ESCAPE '\'"
        return f"{self.column(column)} LIKE {self.literal(escaped + '%')}{escape}"


def _doubled(quote: str) -> Callable[[str], str]:
    return lambda name: quote + name.replace(quote, quote * 2) + quote


def _clickhouse_column(name: str) -> str:
    return "`" + name.replace("\\", "\\\\").replace("`", "\\`") + "`"


DUCKDB = Dialect(_doubled('"'), DuckDBLiterals(), "starts_with")
CLICKHOUSE = Dialect(_clickhouse_column, ClickHouseLiterals(), "startsWith", {**FUNCTIONS, "date": "toDate32({})"})
DATAFUSION = Dialect(_doubled('"'), DataFusionLiterals(), "starts_with")
SPARK = Dialect(_doubled("`"), SparkLiterals(), "startswith", {**FUNCTIONS, "text": "CAST({} AS STRING)"})
FIREBOLT = _Firebolt(_doubled('"'), FireboltLiterals(), "STRPOS")
TRINO = _Trino(_doubled('"'), TrinoLiterals(), "starts_with")

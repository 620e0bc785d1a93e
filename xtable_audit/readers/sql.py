"""Predicates as SQL. A dialect has what differs between engines."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any

from xtable_audit.model.predicate import And, Compare, In, IsNull, Or, Predicate, StartsWith
from xtable_audit.readers.literals import (
    ClickHouseLiterals,
    DataFusionLiterals,
    DuckDBLiterals,
    FireboltLiterals,
    SparkLiterals,
    TrinoLiterals,
)


@dataclass(frozen=True)
class Dialect:
    """How one engine writes a column's name, a value, and "starts with"."""

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

    def over(self, columns: Collection[str]) -> Dialect:
        """The dialect for a table of these columns. A dotted name that is not among them is a nested column's path."""

        def column(name: str) -> str:
            return ".".join(map(self.column, [name] if name in columns else name.split(".")))

        return replace(self, column=column)

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
CLICKHOUSE = Dialect(_clickhouse_column, ClickHouseLiterals(), "startsWith")
DATAFUSION = Dialect(_doubled('"'), DataFusionLiterals(), "starts_with")
SPARK = Dialect(_doubled("`"), SparkLiterals(), "startswith")
FIREBOLT = _Firebolt(_doubled('"'), FireboltLiterals(), "STRPOS")
TRINO = _Trino(_doubled('"'), TrinoLiterals(), "starts_with")

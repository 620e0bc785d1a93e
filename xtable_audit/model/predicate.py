"""Predicates, independent of any engine's syntax.

A predicate is a small frozen tree. Values are plain Python ones: int, float, str, bytes, bool, `decimal.Decimal`,
`datetime.date`, `datetime.datetime` (naive = timestamp without zone, aware UTC = timestamptz).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from xtable_audit.model.identifier import identifier

Operator = Literal["=", "!=", "<", "<=", ">", ">="]


class Predicate:
    """A condition on one row. `str(p)` is the SQL that a person would write, and that `--where` reads."""

    def __and__(self, other: Predicate) -> Predicate:
        return And(self, other)

    def __or__(self, other: Predicate) -> Predicate:
        return Or(self, other)


@dataclass(frozen=True)
class Compare(Predicate):
    column: str
    operator: Operator
    value: Any

    def __str__(self) -> str:
        return f"{identifier(self.column)} {self.operator} {literal(self.value)}"


@dataclass(frozen=True)
class In(Predicate):
    column: str
    values: tuple[Any, ...]
    negated: bool = False

    def __str__(self) -> str:
        listed = ", ".join(literal(v) for v in self.values)
        return f"{identifier(self.column)} {'NOT IN' if self.negated else 'IN'} ({listed})"


@dataclass(frozen=True)
class IsNull(Predicate):
    column: str
    negated: bool = False

    def __str__(self) -> str:
        return f"{identifier(self.column)} IS {'NOT NULL' if self.negated else 'NULL'}"


@dataclass(frozen=True)
class StartsWith(Predicate):
    column: str
    prefix: str

    def __str__(self) -> str:
        return f"{identifier(self.column)} LIKE {literal(self.prefix + '%')}"


@dataclass(frozen=True)
class And(Predicate):
    left: Predicate
    right: Predicate

    def __str__(self) -> str:
        return f"({self.left}) AND ({self.right})"


@dataclass(frozen=True)
class Or(Predicate):
    left: Predicate
    right: Predicate

    def __str__(self) -> str:
        return f"({self.left}) OR ({self.right})"


def columns_of(predicate: Predicate | None) -> frozenset[str]:
    """The columns a predicate names."""
    match predicate:
        case And(left, right) | Or(left, right):
            return columns_of(left) | columns_of(right)
        case Compare(column) | In(column) | IsNull(column) | StartsWith(column):
            return frozenset({column})
    return frozenset()


def literal(value: Any) -> str:
    """A value as standard SQL writes it."""
    import datetime

    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime.datetime):
        return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
    if isinstance(value, datetime.date):
        return f"DATE '{value.isoformat()}'"
    if isinstance(value, datetime.time):
        return f"TIME '{value.isoformat()}'"
    if isinstance(value, bytes):
        return f"X'{value.hex()}'"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(value)

"""Predicates, and column names as SQL writes them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

PLAIN = re.compile(r"[^\W\d]\w*", re.ASCII)
WORDS = (
    # SQL:2023 and Trino
    "all alter and any as asc between both by call case cast check collate column constraint create cross cube "
    "current current_catalog current_date current_path current_role current_schema current_time current_timestamp "
    "current_user deallocate default delete desc describe distinct drop else end escape except execute exists explain "
    "extract false fetch for foreign from full grant group grouping having if in inner insert intersect interval into "
    "is join lateral leading left like limit listagg localtime localtimestamp match_recognize natural normalize not "
    "null offset on or order outer prepare primary qualify recursive references returning revoke right rollback rollup "
    "select session_user set show skip some table tablesample then to trailing trim true uescape union unique unnest "
    "update user using values when where window with "
    # other engines, and the parser of `--where`
    "connect_by_root glob ilike notnull optimize partitioned_by regexp rename rlike uncache vacuum xor"
)
RESERVED = frozenset(WORDS.split())


def identifier(path: str) -> str:
    """The dotted path of a column. Names that are plain stay as they are."""
    parts = path.split(".")
    if not all(parts):
        return quoted(path)
    return ".".join(part if _is_plain(part) else quoted(part) for part in parts)


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _is_plain(part: str) -> bool:
    return bool(PLAIN.fullmatch(part)) and part.lower() not in RESERVED


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

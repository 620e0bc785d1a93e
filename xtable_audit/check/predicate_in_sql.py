"""Reads a predicate in SQL, as `--where` has it, against the columns of a table.

What planners prune by is read: comparisons of a column with a literal, IN, BETWEEN, IS NULL and LIKE 'prefix%', with
AND, OR and NOT. sqlglot parses the text, in Trino's dialect, which is the standard's but for little.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from difflib import get_close_matches
from typing import Any
from uuid import UUID

import pyarrow as pa
from sqlglot import ParseError, TokenError, exp, parse_one

from xtable_audit.formats.installed import target_of
from xtable_audit.model.columns import Leaf, LiteralKind
from xtable_audit.model.predicate import And, Compare, In, IsNull, Operator, Or, Predicate, StartsWith
from xtable_audit.model.problem import Problem
from xtable_audit.table.stored_metrics import StoredMetrics

DIALECT = "trino"
COMPARED: dict[type[exp.Expr], Operator] = {
    exp.EQ: "=",
    exp.NEQ: "!=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
OPPOSITE: dict[Operator, Operator] = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
MIRRORED: dict[Operator, Operator] = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
TYPED = (exp.DType.DATE, exp.DType.TIMESTAMP, exp.DType.TIMESTAMPTZ, exp.DType.TIME, exp.DType.DECIMAL, exp.DType.UUID)
"""Types of literals such as DATE '2023-05-05'. The column's own type decides what they mean."""
COLUMN = (exp.Column, exp.Dot)
"""Names of up to four parts, and deeper ones."""
SECONDS = re.compile(r"\.\d{7,}")
"""A fraction of a second that Python would cut."""
READ = "write column, operator and literal, with IN, BETWEEN, IS NULL, LIKE 'prefix%', AND, OR and NOT"
FEW, LONGEST = 8, 100
"""Columns that a message lists, and characters of the text that it quotes."""


def parse_where(text: str, stored: StoredMetrics) -> Predicate:
    """Raises Problem, in one sentence, for what is no SQL, no predicate that planners prune by, or does not fit."""
    kind_of = target_of(stored.metadata_location).check.literal_kind
    try:
        parsed = parse_one(text, into=exp.Condition, dialect=DIALECT)
    except (ParseError, TokenError, RecursionError) as error:
        raise Problem(f"--where {_short(text)} is no SQL condition: {_where(error)}; {READ}") from error
    try:
        return _Reader(text, stored.leaves, kind_of).read(parsed, negated=False)
    except RecursionError as error:
        raise Problem(f"--where is nested too deeply; {READ}") from error


def _short(text: str) -> str:
    return repr(text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…")


def _where(error: Exception) -> str:
    details = error.errors[0] if isinstance(error, ParseError) and error.errors else {}
    place = f", at character {details['col']}" if details.get("col") else ""
    return f"it cannot be parsed{place}"


@dataclass(frozen=True)
class _Reader:
    text: str
    leaves: Sequence[Leaf]
    kind_of: Callable[[Leaf], LiteralKind | None]

    def read(self, node: exp.Expr, *, negated: bool) -> Predicate:
        match node:
            case exp.Paren():
                return self.read(node.this, negated=negated)
            case exp.Not():
                return self.read(node.this, negated=not negated)
            case exp.And() | exp.Or():
                left, right = (self.read(side, negated=negated) for side in (node.left, node.right))
                return And(left, right) if isinstance(node, exp.And) is not negated else Or(left, right)
            case exp.Between():
                ends = [
                    self._compare(node.this, ">=", node.args["low"]),
                    self._compare(node.this, "<=", node.args["high"]),
                ]
                outside = [_opposite(one) for one in ends]
                return Or(*outside) if negated else And(*ends)
            case exp.In() if node.expressions:
                leaf = self._column(node.this)
                values = tuple(dict.fromkeys(self._value(leaf, one) for one in node.expressions))
                return In(leaf.path, values, negated)
            case exp.Is():
                return self._is(node, negated=negated)
            case exp.Like():
                return self._like(node, negated=negated)
            case exp.Column() | exp.Dot():
                return self._compare(node, "!=" if negated else "=", exp.true())
        operator = COMPARED.get(type(node))
        if operator is not None and isinstance(node, exp.Binary):
            column, literal = node.left, node.right
            if not isinstance(column, COLUMN):
                column, literal, operator = literal, column, MIRRORED[operator]
            if not isinstance(column, COLUMN) or isinstance(literal, COLUMN):
                raise self._not_read(node)
            return self._compare(column, OPPOSITE[operator] if negated else operator, literal)
        raise self._not_read(node)

    def _compare(self, column: exp.Expr, operator: Operator, literal: exp.Expr) -> Compare:
        leaf = self._column(column)
        return Compare(leaf.path, operator, self._value(leaf, literal))

    def _is(self, node: exp.Is, *, negated: bool) -> Predicate:
        leaf = self._column(node.this)
        if isinstance(node.expression, exp.Null):
            return IsNull(leaf.path, negated)
        if isinstance(node.expression, exp.Boolean) and not negated:  # IS NOT TRUE matches null too
            return self._compare(node.this, "=", node.expression)
        raise self._not_read(node)

    def _like(self, node: exp.Like, *, negated: bool) -> Predicate:
        leaf = self._column(node.this)
        pattern = self._value(leaf, node.expression)
        prefix = pattern.removesuffix("%") if isinstance(pattern, str) else ""
        if negated or node.args.get("negate") or not prefix or set(prefix) & {"%", "_", "\\"}:
            raise self._not_read(node)
        return StartsWith(leaf.path, prefix) if pattern.endswith("%") else Compare(leaf.path, "=", prefix)

    def _column(self, node: exp.Expr) -> Leaf:
        if not isinstance(node, COLUMN) or not all(isinstance(part, exp.Identifier) for part in node.parts):
            raise self._not_read(node)
        name = ".".join(part.name for part in node.parts)
        leaves = self.leaves
        found = [leaf for leaf in leaves if leaf.path == name] or [
            leaf for leaf in leaves if leaf.path.lower() == name.lower()
        ]
        if len(found) == 1:
            return found[0]
        every = [leaf.path for leaf in leaves]
        if found:
            raise Problem(f"--where: {name} may be each of {', '.join(leaf.path for leaf in found)}; write it as it is")
        close = get_close_matches(name, every, n=1)
        hint = f"did you mean {close[0]}?" if close else f"it has {', '.join(every[:FEW])}"
        raise Problem(f"--where: the table has no column {name} whose values can be judged; {hint}")

    def _value(self, leaf: Leaf, node: exp.Expr) -> Any:
        """The literal as a Python value of the column's type."""
        literal = self._literal(node)
        kind = self.kind_of(leaf)
        try:
            if kind is None:
                raise TypeError("no literal is compared with a column of this type")
            value = VALUES[kind](leaf, literal)
            pa.scalar(value, leaf.arrow)
        except (ValueError, TypeError, OverflowError, ArithmeticError, pa.ArrowException) as error:
            hint = WRITTEN.get(kind, "") if kind is not None else ""
            shown = f"{_cut(node)} does not fit {leaf.path}, which is of type {leaf.type}"
            raise Problem(f"--where: {shown}" + (f"; write {hint}" if hint else "")) from error
        return value

    def _literal(self, node: exp.Expr) -> str | Decimal | bool | bytes:
        """Text, a number, a truth value or bytes."""
        match node:
            case exp.Neg():
                number = self._literal(node.this)
                if isinstance(number, Decimal):
                    return -number
            case exp.Cast() if node.to.this in TYPED and isinstance(node.this, exp.Literal):
                return str(node.this.this)
            case exp.Literal(is_string=True):
                return str(node.this)
            case exp.Literal():
                try:
                    return Decimal(node.this)
                except InvalidOperation:
                    raise self._not_read(node) from None
            case exp.Boolean():
                return bool(node.this)
            case exp.HexString():
                digits = str(node.this)
                return bytes.fromhex(digits)
        raise self._not_read(node)

    def _not_read(self, node: exp.Expr) -> Problem:
        return Problem(f"--where: {_cut(node)} is not a condition that planners skip files by; {READ}")


def _cut(node: exp.Expr) -> str:
    text: str = node.sql(dialect=DIALECT)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _opposite(one: Compare) -> Compare:
    return Compare(one.column, OPPOSITE[one.operator], one.value)


def _is(kind: type[Any], literal: Any) -> Any:
    if not isinstance(literal, kind):
        raise TypeError(f"{literal!r} is no {kind.__name__}")
    return literal


def _integer(leaf: Leaf, literal: Any) -> int:
    number = _is(Decimal, literal)
    if number != number.to_integral_value():
        raise ValueError(f"{number} is no whole number")
    return int(number)


def _decimal(leaf: Leaf, literal: Any) -> Decimal:
    number = _is(Decimal, Decimal(literal) if isinstance(literal, str) else literal)
    fitting: Decimal = number.quantize(Decimal((0, (1,), -leaf.arrow.scale)))
    if fitting != number:
        raise ValueError(f"{number} has more digits than the column")
    return fitting


def _float(leaf: Leaf, literal: Any) -> float:
    number = float(_is(Decimal, literal))
    if number in (float("inf"), float("-inf")):
        raise OverflowError(f"{literal} is beyond the type")
    return number


def _date(leaf: Leaf, literal: Any) -> dt.date:
    return dt.date.fromisoformat(_is(str, literal))


def _time(leaf: Leaf, literal: Any) -> dt.time:
    return dt.time.fromisoformat(_whole(literal))


def _timestamp(leaf: Leaf, literal: Any) -> dt.datetime:
    time = dt.datetime.fromisoformat(_whole(literal))
    if time.tzinfo is not None:
        raise ValueError("the column has no time zone")
    return time


def _timestamptz(leaf: Leaf, literal: Any) -> dt.datetime:
    """A time without an offset is one of UTC."""
    time = dt.datetime.fromisoformat(_whole(literal).removesuffix(" UTC"))
    return time.astimezone(dt.UTC) if time.tzinfo else time.replace(tzinfo=dt.UTC)


def _whole(literal: Any) -> str:
    if SECONDS.search(text := str(_is(str, literal))):
        raise ValueError("is finer than a microsecond")
    return text


def _fixed(leaf: Leaf, literal: Any) -> bytes:
    assert isinstance(leaf.type, Sized)
    if len(_is(bytes, literal)) != len(leaf.type):
        raise ValueError("is of another length")
    return bytes(literal)


def _uuid(literal: Any) -> bytes:
    """As text or as its sixteen bytes."""
    return (UUID(bytes=literal) if isinstance(literal, bytes) else UUID(_is(str, literal))).bytes


VALUES: Mapping[LiteralKind, Callable[[Leaf, Any], Any]] = {
    LiteralKind.INTEGER: _integer,
    LiteralKind.FLOAT: _float,
    LiteralKind.DECIMAL: _decimal,
    LiteralKind.BOOLEAN: lambda leaf, literal: _is(bool, literal),
    LiteralKind.TEXT: lambda leaf, literal: _is(str, literal),
    LiteralKind.DATE: _date,
    LiteralKind.TIME: _time,
    LiteralKind.TIMESTAMP: _timestamp,
    LiteralKind.TIMESTAMP_WITH_ZONE: _timestamptz,
    LiteralKind.UUID: lambda leaf, literal: _uuid(literal),
    LiteralKind.FIXED: _fixed,
    LiteralKind.BINARY: lambda leaf, literal: _is(bytes, literal),
}
OF_BYTES = "bytes such as X'00FF'"
WRITTEN: Mapping[LiteralKind, str] = {
    LiteralKind.BOOLEAN: "TRUE or FALSE",
    LiteralKind.TEXT: "a text such as 'Oslo'",
    LiteralKind.DATE: "DATE '2023-05-05'",
    LiteralKind.TIME: "TIME '01:02:03'",
    LiteralKind.TIMESTAMP: "TIMESTAMP '2023-05-05 01:02:03.123456'",
    LiteralKind.TIMESTAMP_WITH_ZONE: "TIMESTAMP '2023-05-05 01:02:03.123456+00:00'",
    LiteralKind.UUID: "a text such as 'f79c3e09-677c-4bbd-a479-3f349cb785e7'",
    LiteralKind.FIXED: OF_BYTES,
    LiteralKind.BINARY: OF_BYTES,
}

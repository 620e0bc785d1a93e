"""Predicates for engines whose columns overload Python's operators, and as Polars writes them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import polars as pl

from xtable_audit.model.predicate import And, Compare, In, IsNull, Operator, Or, Predicate, StartsWith
from xtable_audit.readers.aggregate import Aggregate, NotOffered

COMPARISONS: Mapping[Operator, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def expression(predicate: Predicate) -> pl.Expr:
    """A predicate as Polars writes it."""
    match predicate:
        case And(left, right):
            return expression(left) & expression(right)
        case Or(left, right):
            return expression(left) | expression(right)
        case Compare(column, operator, value):
            compared: pl.Expr = COMPARISONS[operator](pl.col(column), pl.lit(value))
            return compared
        case In(column, values, negated):
            listed = pl.col(column).is_in(list(values))
            return ~listed if negated else listed
        case IsNull(column, negated):
            return pl.col(column).is_not_null() if negated else pl.col(column).is_null()
        case StartsWith(column, prefix):
            return pl.col(column).str.starts_with(prefix)
    raise TypeError(f"no Polars expression for a {type(predicate).__name__}")


def aggregate(frame: pl.LazyFrame, asked: Aggregate, shortcut: bool) -> Any:
    """What Polars answers of a lazy frame. Raises NotOffered without `shortcut`: no setting turns one off."""
    if not shortcut:
        raise NotOffered
    rows = frame if asked.predicate is None else frame.filter(expression(asked.predicate))
    value = pl.len() if asked.column is None else getattr(pl.col(asked.column), asked.function)()
    return rows.select(value).collect().item()

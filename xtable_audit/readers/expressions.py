"""Predicates for engines whose columns overload Python's operators, and as Polars writes them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl

from xtable_audit.model.aggregate import Aggregate, Applied
from xtable_audit.model.predicate import And, Compare, In, IsNull, Operator, Or, Predicate, StartsWith
from xtable_audit.readers.reader import NotOffered

COMPARISONS: Mapping[Operator, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
APPLIED: Mapping[Applied, Callable[[pl.Expr], pl.Expr]] = {
    "date": lambda column: column.dt.date(),
    "month": lambda column: column.dt.month(),
    "lower": lambda column: column.str.to_lowercase(),
    "abs": lambda column: column.abs(),
    "text": lambda column: column.cast(pl.String),
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


def aggregate(frame: pl.LazyFrame, asked: Sequence[Aggregate], shortcut: bool) -> Sequence[Any]:
    """What Polars answers of a lazy frame. Raises NotOffered without `shortcut`: no setting turns one off."""
    if not shortcut:
        raise NotOffered
    if asked[0].form != "aggregate":
        return [_of_form(frame, asked[0])]
    predicate = asked[0].predicate
    rows = frame if predicate is None else frame.filter(expression(predicate))
    each = [pl.len() if one.column is None else getattr(pl.col(one.column), one.function)() for one in asked]
    return rows.select(value.alias(str(place)) for place, value in enumerate(each)).collect().row(0)


def _of_form(frame: pl.LazyFrame, asked: Aggregate) -> Any:
    match asked:
        case Aggregate(form="join", predicate=In(column, values)):
            keys = pl.LazyFrame({column: values}, schema={column: frame.collect_schema()[column]})
            return frame.join(keys, on=column).select(pl.len()).collect().item()
        case Aggregate(form="applied", applied=str(function), value=value):
            [column] = asked.columns
            return frame.filter(APPLIED[function](pl.col(column)) == value).select(pl.len()).collect().item()
        case Aggregate(form="top", column=str(column)):
            ordered = frame.select(column).sort(column, descending=asked.function == "max", nulls_last=True)
            return next(iter(ordered.head(1).collect().to_series()), None)
        case Aggregate(form="limit", limit=int(limit)):
            return frame.head(limit).collect().height
    raise NotOffered

"""A predicate as Polars writes it."""

from __future__ import annotations

import polars as pl

from xtable_audit.model.predicate import And, Compare, In, IsNull, Or, Predicate, StartsWith
from xtable_audit.readers.comparisons import COMPARISONS


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

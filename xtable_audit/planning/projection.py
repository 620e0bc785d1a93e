"""Inclusive projection of a predicate on a column to a partition field derived from it (Iceberg spec, Scan Planning).

Covers all transforms of format version 2. A void transform skips nothing.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pyarrow as pa

from xtable_audit.model.columns import Leaf
from xtable_audit.model.predicate import Compare, In, IsNull, Operator, Predicate, StartsWith
from xtable_audit.table.partitions import Transform, TransformKind

_NEIGHBOUR: dict[Operator, tuple[int, Operator]] = {"<": (-1, "<="), ">": (1, ">=")}
"""A strict comparison becomes an inclusive one with the adjacent value, whose tuple may differ."""


def project(predicate: Predicate, leaf: Leaf, transform: Transform) -> Predicate | None:
    """The predicate on the partition values; None if it does not restrict them. `predicate` concerns only `leaf`.

    `!=` and NOT IN exclude null tuples, because in SQL null is unequal to nothing.
    """
    if transform.kind is TransformKind.IDENTITY:
        return predicate
    if transform.kind in (TransformKind.VOID, TransformKind.UNKNOWN):
        return None

    def tuple_of(value: Any) -> Any:
        return transform.of(pa.array([value], leaf.arrow), leaf)[0].as_py()

    match predicate:
        case IsNull():
            return predicate
        case Compare(column, "!=", _) | In(column, _, True):
            return IsNull(column, negated=True)
        case In(column, values):
            return In(column, tuple(dict.fromkeys(map(tuple_of, values))))
        case Compare(column, "=", value):
            return Compare(column, "=", tuple_of(value))
        case Compare() if transform.kind is TransformKind.BUCKET:
            return None  # buckets do not preserve order
        case Compare(column, operator, value):
            direction, lax = _NEIGHBOUR.get(operator, (0, operator))
            try:
                return Compare(column, lax, tuple_of(_next(value, direction)))
            except (OverflowError, pa.ArrowInvalid):  # the calendar or the type ends here
                return Compare(column, lax, tuple_of(value))
        case StartsWith(column, prefix) if transform.kind is TransformKind.TRUNCATE:
            return StartsWith(column, tuple_of(prefix))
    return None


def _next(value: Any, direction: int) -> Any:
    """The adjacent value below (-1) or above (1); the value itself if its type has no adjacent values."""
    match value:
        case dt.datetime():
            return value + direction * dt.timedelta(microseconds=1)
        case dt.date():
            return value + direction * dt.timedelta(days=1)
        case Decimal():
            return value + direction * Decimal((0, (1,), int(value.as_tuple().exponent)))
        case int():
            return value + direction
    return value

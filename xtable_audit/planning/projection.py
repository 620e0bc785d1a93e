"""A predicate on a column as one on a partition field made from it: no more is skipped than the values allow.

Iceberg spec, Scan Planning (inclusive projection), for all transforms of format version 2. Of a void one nothing is
skipped.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pyarrow as pa
from pyiceberg.transforms import BucketTransform, IdentityTransform, TimeTransform, Transform, TruncateTransform

from xtable_audit.metadata.transforms import transformed
from xtable_audit.model.columns import Leaf
from xtable_audit.model.predicate import Compare, In, IsNull, Operator, Predicate, StartsWith

_NEIGHBOUR: dict[Operator, tuple[int, Operator]] = {"<": (-1, "<="), ">": (1, ">=")}
"""A strict comparison is a lax one with the next value, which may have the next tuple."""


def project(predicate: Predicate, leaf: Leaf, transform: Transform[Any, Any]) -> Predicate | None:
    """The predicate on the partition's values; None where it tells nothing of them. `predicate` is on `leaf` alone.

    In SQL no null is unequal to anything: `!=` and NOT IN leave out null tuples.
    """
    if isinstance(transform, IdentityTransform):
        return predicate
    if not isinstance(transform, TimeTransform | TruncateTransform | BucketTransform):
        return None

    def tuple_of(value: Any) -> Any:
        return transformed(pa.array([value], leaf.arrow), leaf.type, transform)[0].as_py()

    match predicate:
        case IsNull():
            return predicate
        case Compare(column, "!=", _) | In(column, _, True):
            return IsNull(column, negated=True)
        case In(column, values):
            return In(column, tuple(dict.fromkeys(map(tuple_of, values))))
        case Compare(column, "=", value):
            return Compare(column, "=", tuple_of(value))
        case Compare() if isinstance(transform, BucketTransform):
            return None  # buckets keep no order
        case Compare(column, operator, value):
            direction, lax = _NEIGHBOUR.get(operator, (0, operator))
            try:
                return Compare(column, lax, tuple_of(_next(value, direction)))
            except (OverflowError, pa.ArrowInvalid):  # the calendar or the type ends here
                return Compare(column, lax, tuple_of(value))
        case StartsWith(column, prefix) if isinstance(transform, TruncateTransform):
            return StartsWith(column, tuple_of(prefix))
    return None


def _next(value: Any, direction: int) -> Any:
    """The value right below (-1) or above (1); itself where there is none that is right beside it."""
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

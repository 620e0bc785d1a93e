"""A predicate on a column as one on a partition field made from it: no more is skipped than the values allow.

Iceberg spec, Scan Planning (inclusive projection). Known are identity and the transforms of time; of any other
transform nothing is skipped.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

import pyarrow as pa
from pyiceberg.transforms import IdentityTransform, TimeTransform, Transform

from audit.leaf import Leaf
from audit.predicate import Compare, In, IsNull, Operator, Predicate
from audit.transformed import transformed

_NEIGHBOUR: dict[Operator, tuple[int, Operator]] = {"<": (-1, "<="), ">": (1, ">=")}
"""A strict comparison is a lax one with the next value, which may lie in the next period."""


def project(predicate: Predicate, leaf: Leaf, transform: Transform[Any, Any]) -> Predicate | None:
    """The predicate on the partition's values; None where it tells nothing of them. `predicate` is on `leaf` alone.

    In SQL no null is unequal to anything: `!=` and NOT IN leave out null tuples.
    """
    if isinstance(transform, IdentityTransform):
        return predicate
    if not isinstance(transform, TimeTransform):
        return None

    def period(value: Any) -> Any:
        return transformed(pa.array([value], leaf.arrow), leaf.type, transform)[0].as_py()

    match predicate:
        case IsNull():
            return predicate
        case Compare(column, "!=", _) | In(column, _, True):
            return IsNull(column, negated=True)
        case In(column, values):
            return In(column, tuple(dict.fromkeys(map(period, values))))
        case Compare(column, operator, value):
            direction, lax = _NEIGHBOUR.get(operator, (0, operator))
            try:
                return Compare(column, lax, period(value + direction * _unit(value)))
            except OverflowError:  # Python's calendar ends here, the table's does not
                return Compare(column, lax, period(value))
    return None


def _unit(value: dt.date | dt.datetime) -> dt.timedelta:
    return dt.timedelta(microseconds=1) if isinstance(value, dt.datetime) else dt.timedelta(days=1)

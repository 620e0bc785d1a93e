"""A grid of predicates on one column, from the values its own files hold: present, absent, at and between bounds."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from typing import Any

import pyarrow as pa

from xtable_audit.model.predicate import And, Compare, In, IsNull, Or, Predicate, StartsWith
from xtable_audit.subject.case import Case


def grid(case: Case, column: str, beside: str) -> tuple[Predicate, ...]:
    """Predicates on `column`, each once, in a fixed order. `beside` is another column, for an OR of two.

    Values are the lowest, a middle and the highest of the files' own extremes (without NaN), and one beyond either
    end. A column without any value gets the null checks alone.
    """
    arrow = case.actual.columns[column]["min"].type
    return grid_of(column, arrow, extremes(case, column), beside, extremes(case, beside))


def grid_of(
    column: str, arrow: pa.DataType, values: list[Any], beside: str, others: list[Any]
) -> tuple[Predicate, ...]:
    """The grid over these `values` of `column`, and `others` of the column beside it: each sorted, each value once."""
    return tuple(dict.fromkeys(_predicates(column, arrow, values, beside, others)))


def extremes(case: Case, column: str) -> list[Any]:
    """The least and the greatest value of each file, as Python values, sorted, each once; none where all are null.

    Dates and moments that Python's calendar (years 1 to 9999) does not have are left out.
    """
    actual = case.actual.columns[column]
    both = pa.chunked_array([*actual["min"].chunks, *actual["max"].chunks], actual["min"].type).drop_null()
    return sorted({value for scalar in both for value in in_python(scalar)})


def in_python(scalar: pa.Scalar) -> Iterator[Any]:
    """Its Python value, if there is one."""
    with suppress(ValueError, OverflowError):
        yield scalar.as_py()


def _predicates(
    column: str, arrow: pa.DataType, values: list[Any], beside: str, others: list[Any]
) -> Iterator[Predicate]:
    yield IsNull(column)
    yield IsNull(column, negated=True)
    if not values:
        return
    lowest, middle, highest = values[0], values[len(values) // 2], values[-1]
    for value in (lowest, middle, highest):
        yield Compare(column, "=", value)
    yield Compare(column, "!=", middle)
    for operator in ("<", "<=", ">", ">="):
        yield Compare(column, operator, lowest)
        yield Compare(column, operator, middle)
        yield Compare(column, operator, highest)
    yield And(Compare(column, ">=", values[len(values) // 4]), Compare(column, "<=", middle))
    absent = list(beyond(lowest, highest, arrow))
    for value in absent:
        yield Compare(column, "=", value)
    yield In(column, (lowest, highest))
    yield In(column, (middle, *absent))
    yield In(column, (lowest, middle), negated=True)
    if others:
        yield Or(Compare(column, "=", lowest), Compare(beside, "=", others[-1]))
        yield Or(Compare(column, ">", highest), Compare(beside, "<=", others[0]))
    if isinstance(middle, str):
        yield StartsWith(column, middle[:1])
        yield StartsWith(column, middle)
        yield StartsWith(column, highest + "~")


def beyond(lowest: Any, highest: Any, arrow: pa.DataType) -> Iterator[Any]:
    """A value below all and one above all, where the type has them."""
    for value, direction in ((lowest, -1), (highest, 1)):
        try:
            further = _further(value, direction)
            if further is not None and pa.scalar(further, arrow).is_valid:
                yield further
        except (OverflowError, pa.ArrowInvalid):
            continue  # the type ends at this value


def _further(value: Any, direction: int) -> Any:
    """The next value, or one not far, below (-1) or above (1)."""
    match value:
        case bool() | dt.time():
            return None
        case float():
            return value + direction * (abs(value) + 1.0)
        case int():
            return value + direction
        case Decimal():
            return value + direction * Decimal((0, (1,), int(value.as_tuple().exponent)))
        case str():
            return value + "~" if direction > 0 else None
        case bytes():
            return value + b"\xff" if direction > 0 else None
        case dt.datetime():
            return value + direction * dt.timedelta(microseconds=1)
        case dt.date():
            return value + direction * dt.timedelta(days=1)
    raise TypeError(f"no value beyond a {type(value).__name__}")

"""A grid of predicates on one column, with literals from its files: present, absent, at and between bounds."""

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
    """Distinct predicates on `column`, in a fixed order. `beside` is another column, for OR over two columns.

    Literals are the lowest, the middle and the highest of the files' extremes (without NaN), and one value beyond
    either end. A column without values gets only the null checks.
    """
    arrow = case.actual.columns[column]["min"].type
    return grid_of(column, arrow, extremes(case, column), beside, extremes(case, beside))


def grid_of(
    column: str, arrow: pa.DataType, values: list[Any], beside: str, others: list[Any]
) -> tuple[Predicate, ...]:
    """The grid with literals from `values` for `column` and `others` for `beside`; both are sorted and distinct."""
    return tuple(dict.fromkeys(_predicates(column, arrow, values, beside, others)))


def extremes(case: Case, column: str) -> list[Any]:
    """The distinct min and max values of all files, sorted, as Python values; empty if all values are null.

    Leaves out dates and timestamps outside the years 1 to 9999, which Python cannot represent.
    """
    actual = case.actual.columns[column]
    both = pa.chunked_array([*actual["min"].chunks, *actual["max"].chunks], actual["min"].type).drop_null()
    return sorted({value for scalar in both for value in in_python(scalar)})


def in_python(scalar: pa.Scalar) -> Iterator[Any]:
    """Yields its Python value, if Python can represent it."""
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
    """A value below all and one above all, if the type has them."""
    for value, direction in ((lowest, -1), (highest, 1)):
        try:
            further = _further(value, direction)
            if further is not None and pa.scalar(further, arrow).is_valid:
                yield further
        except (OverflowError, pa.ArrowInvalid):
            continue  # the type ends at this value


def _further(value: Any, direction: int) -> Any:
    """A value below (-1) or above (1), adjacent or near; None if the type offers none."""
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

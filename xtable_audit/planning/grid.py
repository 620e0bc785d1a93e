"""Predicates on one column, with literals from its values: a grid of them, and few for a reader that is slow to ask."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.model.predicate import And, Compare, In, IsNull, Or, Predicate, StartsWith
from xtable_audit.subject.case import Case

# A grid of predicates on one column, with literals from its files: present, absent, at and between bounds.

EACH = 40
"""Maximum number of a column's extremes that get an equality predicate each."""


@dataclass(frozen=True)
class ColumnLiterals:
    """Some of the distinct extremes of a column in all files, as Python values: the lowest, those after a quarter and
    half of them, the highest, and an even spread of at most EACH.
    """

    lowest: Any
    quarter: Any
    middle: Any
    highest: Any
    spread: tuple[Any, ...]


def grid(case: Case, column: str, beside: str) -> tuple[Predicate, ...]:
    """Distinct predicates on `column`, in a fixed order. `beside` is another column, for OR over two columns.

    Literals are the lowest, the middle and the highest of the files' extremes (without NaN), and one value beyond
    either end. A column without values gets only the null checks.
    """
    return grid_of(case, column, literals(case, column), beside, literals(case, beside))


def grid_of(
    case: Case, column: str, own: ColumnLiterals | None, beside: str, others: ColumnLiterals | None
) -> tuple[Predicate, ...]:
    """As `grid`, with the literals of both columns."""
    arrow = case.actual.columns[column]["min"].type
    return tuple(dict.fromkeys(_predicates(column, arrow, own, beside, others)))


def literals(case: Case, column: str) -> ColumnLiterals | None:
    """None if all values are null. Leaves out dates and timestamps outside the years 1 to 9999, which Python cannot
    represent. Of 0.0 and -0.0, which are equal, the first counts.
    """
    actual = case.actual.columns[column]
    both = pa.chunked_array([*actual["min"].chunks, *actual["max"].chunks], actual["min"].type).drop_null()
    values = pc.unique(_in_calendar(both))
    values = values.take(pc.sort_indices(values))
    if len(values) > 1 and pa.types.is_floating(values.type):
        values = values.filter(np.append([True], np.asarray(pc.not_equal(values[1:], values[:-1]))))
    number = len(values)
    if not number:
        return None
    lowest, quarter, middle, highest = (values[place].as_py() for place in (0, number // 4, number // 2, number - 1))
    return ColumnLiterals(lowest, quarter, middle, highest, tuple(values[:: math.ceil(number / EACH)].to_pylist()))


def _in_calendar(values: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_date32(values.type):
        ends = [pa.scalar(one, pa.date32()) for one in (dt.date.min, dt.date.max)]
    elif pa.types.is_timestamp(values.type):
        both = (pa.scalar(one, pa.timestamp("us")).cast(pa.int64()) for one in (dt.datetime.min, dt.datetime.max))
        ends = [one.cast(values.type) for one in both]
    else:
        return values
    return values.filter(pc.and_(pc.greater_equal(values, ends[0]), pc.less_equal(values, ends[1])))


def in_python(scalar: pa.Scalar) -> Iterator[Any]:
    """Yields its Python value, if Python can represent it."""
    with suppress(ValueError, OverflowError):
        yield scalar.as_py()


def _predicates(
    column: str, arrow: pa.DataType, own: ColumnLiterals | None, beside: str, others: ColumnLiterals | None
) -> Iterator[Predicate]:
    yield IsNull(column)
    yield IsNull(column, negated=True)
    if own is None:
        return
    lowest, middle, highest = own.lowest, own.middle, own.highest
    for value in (lowest, middle, highest):
        yield Compare(column, "=", value)
    yield Compare(column, "!=", middle)
    for operator in ("<", "<=", ">", ">="):
        yield Compare(column, operator, lowest)
        yield Compare(column, operator, middle)
        yield Compare(column, operator, highest)
    yield And(Compare(column, ">=", own.quarter), Compare(column, "<=", middle))
    absent = list(beyond(lowest, highest, arrow))
    for value in absent:
        yield Compare(column, "=", value)
    yield In(column, (lowest, highest))
    yield In(column, (middle, *absent))
    yield In(column, (lowest, middle), negated=True)
    if others is not None:
        yield Or(Compare(column, "=", lowest), Compare(beside, "=", others.highest))
        yield Or(Compare(column, ">", highest), Compare(beside, "<=", others.lowest))
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


# Few predicates for a reader that is slow to ask: on each column of the source, its ends and its nulls.


def ends(case: Case) -> tuple[Predicate, ...]:
    """IS NULL and IS NOT NULL, by one of which each row of the source matches, and equality with the least and the
    greatest value, where a false bound loses rows. Empty if the source's rows are not known.
    """
    shown = case.source.shown
    if shown is None:
        return ()
    return tuple(
        predicate
        for name in shown.column_names
        if name in case.stored.columns
        for predicate in _of_column(name, shown[name])
    )


def _of_column(name: str, values: pa.ChunkedArray) -> Iterator[Predicate]:
    yield IsNull(name)
    yield IsNull(name, negated=True)
    known = values.drop_null()
    if pa.types.is_floating(known.type):
        known = known.filter(pc.invert(pc.is_nan(known)))
    if len(known):
        order = pc.sort_indices(known)
        yield from dict.fromkeys(Compare(name, "=", known[order[place].as_py()].as_py()) for place in (0, -1))

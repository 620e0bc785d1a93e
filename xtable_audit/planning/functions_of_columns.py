"""Questions for the value of a function of a column, where a reader chooses files by what it makes of the bounds."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from operator import or_
from typing import Any

import pyarrow as pa

from xtable_audit.model.aggregate import Aggregate, of_day, where
from xtable_audit.model.columns import Leaf
from xtable_audit.model.predicate import Compare, In, Predicate

LONGEST = 10
"""Years between the least and the greatest moment of a column that is asked for a month: each is a range of its own."""


def kind_of(leaf: Leaf) -> str:
    """What functions the column is asked for; "" if none."""
    if pa.types.is_integer(leaf.arrow):
        return "whole number"
    return str(leaf.arrow) if pa.types.is_timestamp(leaf.arrow) or pa.types.is_date(leaf.arrow) else ""


def days(leaf: Leaf, ends: Sequence[Any]) -> Iterator[Aggregate]:
    """Those of the least and the greatest moment."""
    if pa.types.is_timestamp(leaf.arrow):
        starts = dict.fromkeys(dt.datetime.combine(moment.date(), dt.time(), moment.tzinfo) for moment in ends)
        yield from (of_day(leaf.path, start) for start in starts if start.date() < dt.date.max)


def months(leaf: Leaf, ends: Sequence[Any]) -> Iterator[Aggregate]:
    """Those of the least and the greatest moment or date."""
    if not (pa.types.is_timestamp(leaf.arrow) or pa.types.is_date(leaf.arrow)) or not ends:
        return
    years = range(ends[0].year, min(ends[-1].year + 1, dt.MAXYEAR))
    if 0 < len(years) <= LONGEST:
        for month in dict.fromkeys(moment.month for moment in ends):
            yield of_month(leaf.path, ends[0], years, month)


def of_month(column: str, like: Any, years: Iterable[int], month: int) -> Aggregate:
    """The rows of that month, all of which are in these years."""
    return where("month", month, reduce(or_, (_month(column, like, year, month) for year in years)))


def _month(column: str, like: Any, year: int, month: int) -> Predicate:
    """The range of that month, by values of the type of `like`."""
    start, end = dt.date(year, month, 1), dt.date(year + month // 12, month % 12 + 1, 1)
    if isinstance(like, dt.datetime):
        start, end = (dt.datetime.combine(one, dt.time(), like.tzinfo) for one in (start, end))
    return Compare(column, ">=", start) & Compare(column, "<", end)


def absolute_values(leaf: Leaf, ends: Sequence[Any]) -> Iterator[Aggregate]:
    """Those of the least and the greatest whole number, but of one whose type has none for it."""
    if pa.types.is_integer(leaf.arrow):
        sizes = (size for size in dict.fromkeys(map(abs, ends)) if size < 2 ** (leaf.arrow.bit_width - 1))
        yield from (where("abs", size, In(leaf.path, tuple(dict.fromkeys((size, -size))))) for size in sizes)


def texts(leaf: Leaf, ends: Sequence[Any]) -> Iterator[Aggregate]:
    """The least and the greatest whole number, as text."""
    if pa.types.is_integer(leaf.arrow):
        yield from (where("text", str(number), Compare(leaf.path, "=", number)) for number in ends)

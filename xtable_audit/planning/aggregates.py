"""Which questions readers are asked that they may answer by metadata, or by files that metadata chooses."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial, reduce
from itertools import islice
from operator import or_
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.model.aggregate import CHOOSING, Aggregate, Function, Shortcut, joined, of_day, where
from xtable_audit.model.columns import Leaf
from xtable_audit.model.predicate import Compare, In, IsNull, Predicate
from xtable_audit.model.scalars import Beyond
from xtable_audit.planning.aggregate_answers import (
    any_row,
    beyond_bounds,
    columns_of_its_own,
    extreme,
    identities,
    rows_of,
    valued,
)
from xtable_audit.subject.case import Case

# Questions for the value of a function of a column, where a reader chooses files by what it makes of the bounds.

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


Query = tuple[Aggregate, ...]
"""Aggregates over the same rows, for one query."""
OfEnds = Callable[[Leaf, Sequence[Any]], Iterable[Aggregate]]
"""What is asked of a column by its least and its greatest value."""
COUNTED: frozenset[Shortcut] = frozenset({"rows of a partition", *CHOOSING} - {"limited rows"})
"""Whose answers are rows that match a predicate."""
WIDEST = 50
"""Columns of one query, and of one table that joins are asked on."""
SIDES: tuple[Function, ...] = ("min", "max")


def queries(case: Case, shortcuts: Collection[Shortcut]) -> tuple[Query, ...]:
    """Of every column of the table's own, as far as a reader with these shortcuts has one. Hudi's own columns, which no
    user asks for, are left out.

    An engine answers all of a query from metadata or nothing: by the type of a column, and by what is stored of it. So
    the columns of one query are alike.
    """
    columns = columns_of_its_own(case)
    numbers_and_dates = cache(lambda: _telling(case, columns, kind_of))
    of: Mapping[Shortcut, Iterable[Query]] = {
        "rows": [(Aggregate("count"),)],
        "rows of a partition": ((Aggregate("count", None, one),) for one in _partitions(case)),
        "values": (
            tuple(Aggregate("count", leaf.path) for leaf in alike) for alike in _alike(columns, partial(_counted, case))
        ),
        "ends": (
            tuple(Aggregate(side, leaf.path) for leaf in alike for side in SIDES)
            for alike in _alike(columns, partial(_bounded, case))
        ),
        "joined rows": _joins(case, columns),
        "rows of a day": _each(case, columns, days),
        "rows of a month": _one_each(case, numbers_and_dates, months),
        "rows of an absolute value": _one_each(case, numbers_and_dates, absolute_values),
        "rows of a text": _one_each(case, numbers_and_dates, texts),
        "limited rows": ((Aggregate("count", form="limit", limit=limit),) for limit in _limits(case)),
    }
    return tuple(query for shortcut, these in of.items() if shortcut in shortcuts for query in these)


def _alike(columns: Sequence[Leaf], kind: Callable[[Leaf], object]) -> Iterator[Sequence[Leaf]]:
    """The columns of each kind, at most WIDEST at once."""
    by_kind: dict[object, list[Leaf]] = {}
    for leaf in columns:
        by_kind.setdefault(kind(leaf), []).append(leaf)
    for alike in by_kind.values():
        yield from (alike[start : start + WIDEST] for start in range(0, len(alike), WIDEST))


def _counted(case: Case, leaf: Leaf) -> bool:
    """Whether both counts are stored for every file."""
    return not valued(case.stored.columns[leaf.path]).null_count


def _bounded(case: Case, leaf: Leaf) -> tuple[str, bool]:
    """The type, and whether both bounds are stored for every file that may hold a value."""
    stored = case.stored.columns[leaf.path]
    absent = pc.or_(stored["lower"].is_null(), stored["upper"].is_null())
    empty = pc.fill_null(pc.equal(valued(stored), 0), False)
    return str(leaf.arrow), not pc.any(pc.and_(absent, pc.invert(empty))).as_py()


def _partitions(case: Case) -> Iterator[Predicate]:
    """Of each identity partition column the partitions of the least and the greatest value, and that of null."""
    for column in identities(case):
        yield from (Compare(column, "=", value) for value in _ends(case, column))
        yield IsNull(column)


def _telling(case: Case, columns: Sequence[Leaf], kind_of: Callable[[Leaf], str]) -> list[Leaf]:
    """Of the columns that have a kind: those with a value beyond a bound, and the first of each kind."""
    kinds = {leaf: kind for leaf in columns if (kind := kind_of(leaf))}
    first = {kind: leaf for leaf, kind in reversed(kinds.items())}
    return [leaf for leaf, kind in kinds.items() if leaf is first[kind] or beyond_bounds(case, {leaf.path})]


def _joins(case: Case, columns: Sequence[Leaf]) -> Iterator[Query]:
    """On the telling columns, a kind being a type, and on those that a reader may take from the partition's tuple."""
    asked = {leaf: _ends(case, leaf.path) for leaf in columns}
    telling = {*_telling(case, [leaf for leaf, ends in asked.items() if ends], lambda leaf: str(leaf.arrow))}
    of_tuples = identities(case)
    those = (leaf for leaf in asked if leaf in telling or leaf.path in of_tuples)
    return ((joined(leaf.path, asked[leaf]),) for leaf in islice(those, WIDEST) if asked[leaf])


def _each(case: Case, columns: Sequence[Leaf], asked: OfEnds) -> Iterator[Query]:
    return ((one,) for leaf in columns for one in asked(leaf, _ends(case, leaf.path)))


def _one_each(case: Case, telling: Callable[[], Iterable[Leaf]], asked: OfEnds) -> Iterator[Query]:
    """Of the greatest value where that is beyond a bound, else of the least."""
    for leaf in telling():
        of_ends = [*asked(leaf, _ends(case, leaf.path))]
        if of_ends:
            actual, stored = case.actual.columns[leaf.path], case.stored.columns[leaf.path]
            yield (of_ends[-1 if pc.any(pc.less(stored["upper"], actual["max"])).as_py() else 0],)


def _ends(case: Case, column: str) -> tuple[Any, ...]:
    """The least and the greatest value, where a false bound loses rows."""
    actual = case.actual.columns[column]
    found = (extreme(actual["min"], "min"), extreme(actual["max"], "max"))
    return tuple(dict.fromkeys(one for one in found if one is not None and not isinstance(one, Beyond)))


def _limits(case: Case) -> Iterator[int]:
    """One row, half of them, and all."""
    rows = rows_of(case)
    yield from dict.fromkeys(limit for limit in (1, rows // 2, rows) if limit)


def halves(query: Query) -> tuple[Query, ...]:
    """The same for half of the columns each; none for a query of one column."""
    columns = list(dict.fromkeys(one.column for one in query))
    first = {*columns[: len(columns) // 2]}
    parts = tuple(tuple(one for one in query if (one.column in first) is here) for here in (True, False))
    return parts if first else ()


def counted_predicates(case: Case, shortcuts: Collection[Shortcut]) -> tuple[Predicate, ...]:
    """Those whose live rows must be counted for the true answers: of the whole table only where rows are deleted."""
    every = any_row(case) if case.stored.deletions.applied else None
    asked = (one.predicate for query in queries(case, COUNTED & {*shortcuts}) for one in query)
    return tuple(dict.fromkeys(one for one in (every, *asked) if one is not None))

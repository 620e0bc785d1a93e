"""Ranges of one column, file by file, for a picture of them."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Collection, Iterable
from decimal import Decimal
from heapq import nsmallest
from itertools import chain
from typing import Any

import numpy as np

from xtable_audit.model.file_ranges import FILES, Axis, FileRange, FileRanges, Range
from xtable_audit.model.predicate import And, Compare, In, Predicate, columns_of
from xtable_audit.model.scalars import Beyond, plain, show
from xtable_audit.subject.case import Case

TIMES = (dt.date, Beyond)
"""Values that lie in time; a datetime is a date."""
NOTHING = (None, None)
Ends = tuple[Any, Any]


def ranges_of_wrong(case: Case, column: str, wrong: Collection[int]) -> FileRanges | None:
    """`wrong` are the places where a claim about the column fails. None if the table has no metrics of the column."""
    return _ranges(case, column, wrong=wrong)


def ranges_of_planned(
    case: Case, predicate: Predicate, planned: Collection[str], matching: Collection[str]
) -> FileRanges | None:
    """`planned` and `matching` are files. None unless the predicate asks for one range of one column."""
    asked = _asked(predicate)
    if asked is None:
        return None
    paths = case.stored.paths
    kept, held = ({place for place, path in enumerate(paths) if path in of} for of in (planned, matching))
    [column] = columns_of(predicate)
    return _ranges(case, column, planned=kept, matching=held, asked=asked)


def _ranges(
    case: Case,
    column: str,
    *,
    wrong: Collection[int] = (),
    planned: Collection[int] = (),
    matching: Collection[int] = (),
    asked: Ends | None = None,
) -> FileRanges | None:
    metrics, true = case.stored.columns.get(column), case.actual.columns.get(column)
    if metrics is None or true is None:
        return None
    paths = case.stored.paths
    first = nsmallest(FILES, range(len(paths)), key=lambda place: (place not in wrong, place not in planned, place))
    stored = {place: (metrics["lower"][place], metrics["upper"][place]) for place in first}
    actual = {place: (true["min"][place], true["max"][place]) for place in first}
    axis, at = _axis(chain(*stored.values(), *actual.values(), asked or NOTHING))
    made = {
        place: FileRange(
            paths[place].rpartition("/")[2],
            _range(stored[place], at),
            _range(actual[place], at),
            wrong=place in wrong,
            planned=place in planned,
            matching=place in matching,
        )
        for place in first
    }
    return FileRanges(
        column,
        axis,
        tuple(sorted(made.values(), key=_place)),
        len(paths),
        _range(asked, at) if asked is not None else None,
    )


def _place(one: FileRange) -> tuple[float, float, str]:
    """From the smallest actual value; a file without values stands where its stored bounds are."""
    of = one.actual if one.actual.low_at is not None else one.stored
    ends = (math.inf if end is None else end for end in (of.low_at, of.high_at))
    return (*ends, one.file)  # type: ignore[return-value]


def _range(ends: Ends, at: dict[Any, float]) -> Range:
    low, high = ends
    return Range(show(low), show(high), at.get(_key(low)), at.get(_key(high)))


def _axis(values: Iterable[Any]) -> tuple[Axis, dict[Any, float]]:
    """What the places on the axis are, and the place of each value."""
    held = [plain(value) for value in values]
    keys = {key for key in map(_key, held) if key is not None}
    if any(isinstance(key, str | bytes) for key in keys):
        return "order", {key: float(rank) for rank, key in enumerate(sorted(keys, key=_in_order))}
    axis: Axis = "time" if any(isinstance(value, TIMES) for value in held) else "number"
    return axis, {key: key for key in keys}


def _in_order(key: Any) -> tuple[str, Any]:
    return type(key).__name__, key


def _key(value: Any) -> Any:
    """What places the value on the axis; None for one that has no place."""
    value = plain(value)
    match value:
        case None:
            return None
        case str() | bytes():
            return value
        case dt.datetime():
            return (value if value.tzinfo else value.replace(tzinfo=dt.UTC)).timestamp()
        case dt.date():
            return float((value - dt.date(1970, 1, 1)).days * 86_400)
        case dt.time():
            return value.hour * 3600.0 + value.minute * 60 + value.second + value.microsecond / 1e6
        case Beyond():
            return float(np.datetime64(value.text, "s").astype(np.int64))
        case bool() | int() | float() | Decimal():
            return _finite(value)
    return str(value)


def _finite(value: float | Decimal) -> float | None:
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _asked(predicate: Predicate) -> Ends | None:
    """The smallest and the largest value that a predicate on one column asks for; None if it asks for no range."""
    match predicate:
        case Compare(_, "=", value):
            return value, value
        case Compare(_, ">" | ">=", value):
            return value, None
        case Compare(_, "<" | "<=", value):
            return None, value
        case In(_, values, False) if values:
            return min(values), max(values)
        case And(left, right) if columns_of(left) == columns_of(right):
            sides = _asked(left), _asked(right)
            if None in sides:
                return None
            ends = [[side[end] for side in sides if side and side[end] is not None] for end in (0, 1)]
            return max(ends[0], default=None), min(ends[1], default=None)
    return None

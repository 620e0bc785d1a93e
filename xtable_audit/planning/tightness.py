"""A score per column: the share of files that stored bounds let a point predicate skip, relative to exact bounds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.subject.case import Case

Ranks = np.ndarray[Any, np.dtype[np.int64]]
PROBES = 200
"""Maximum number of points per column, spread evenly over the files' min and max values."""


@dataclass(frozen=True)
class Tightness:
    """Share of files skipped by stored and by exact bounds, averaged over the points; 0 … 1."""

    column: str
    recorded: float
    ideal: float

    @property
    def score(self) -> float | None:
        """`recorded` divided by `ideal`; None if even exact bounds skip nothing."""
        return self.recorded / self.ideal if self.ideal else None


def tightness(case: Case, columns: Iterable[str] | None = None) -> tuple[Tightness, ...]:
    """The score of every column with values, or of those among `columns`."""
    scores = []
    for column in case.stored.columns if columns is None else columns:
        stored = case.stored.columns[column]
        actual = case.actual.columns[column]
        points = _points(actual)
        if len(points):
            recorded = _skipped(stored["lower"], stored["upper"], points)
            scores.append(Tightness(column, recorded, _skipped(actual["min"], actual["max"], points)))
    return tuple(scores)


def _points(true: pa.Table) -> pa.Array:
    """At most PROBES of the files' min and max values, sorted."""
    extremes = pc.unique(pa.chunked_array([*true["min"].chunks, *true["max"].chunks], true["min"].type).drop_null())
    ordered = extremes.take(pc.sort_indices(extremes))
    chosen = np.unique(np.linspace(0, max(len(ordered) - 1, 0), num=min(PROBES, len(ordered))).astype(int))
    return ordered.take(pa.array(chosen))


def _skipped(lower: pa.ChunkedArray, upper: pa.ChunkedArray, points: pa.Array) -> float:
    """The share of files whose bounds exclude a point, averaged over the points. NaN excludes nothing, and neither does
    a bound without the other.
    """
    both = pc.and_(pc.is_valid(lower), pc.is_valid(upper))
    sides = [side.filter(both) for side in (lower, upper)]
    ranks = np.asarray(pc.rank(pa.chunked_array([*sides[0].chunks, *sides[1].chunks, points]), tiebreaker="dense"))
    low, high, at = np.split(ranks.astype(np.int64), [len(sides[0]), 2 * len(sides[0])])
    if pa.types.is_floating(points.type):
        low = np.where(pc.is_nan(sides[0]), 0, low)
        high = np.where(pc.is_nan(sides[1]), len(ranks) + 1, high)
    crossed = low > high  # a point in between is outside of both
    outside = len(low) - _up_to(low, at) + _below(high, at) - (_below(high[crossed], at) - _up_to(low[crossed], at))
    return float(np.mean(outside / len(lower)))


def _below(ranks: Ranks, points: Ranks) -> Ranks:
    """For each point, how many are less."""
    return np.searchsorted(np.sort(ranks), points, "left")


def _up_to(ranks: Ranks, points: Ranks) -> Ranks:
    """For each point, how many are at most as great."""
    return np.searchsorted(np.sort(ranks), points, "right")

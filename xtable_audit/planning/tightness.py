"""A score per column: the share of files that stored bounds let a point predicate skip, relative to exact bounds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.subject.case import Case

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


def tightness(case: Case) -> tuple[Tightness, ...]:
    """The score of every column with values."""
    scores = []
    for column, stored in case.stored.columns.items():
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
    outside = [pc.or_(pc.greater(lower, point), pc.less(upper, point)).fill_null(False) for point in points]
    return float(np.mean([np.asarray(mask).mean() for mask in outside]))

"""A score for each column: of the files that exact bounds let a point predicate skip, how many the recorded ones do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.subject.case import Case

PROBES = 200
"""Points asked for in each column at most, spread evenly over the files' own smallest and largest values."""


@dataclass(frozen=True)
class Tightness:
    """Share of files skipped, averaged over the points; 0 … 1."""

    column: str
    recorded: float
    ideal: float

    @property
    def score(self) -> float | None:
        """`recorded` as a share of `ideal`; None where even exact bounds could skip nothing."""
        return self.recorded / self.ideal if self.ideal else None


def tightness(case: Case) -> tuple[Tightness, ...]:
    """The score of every column that holds values."""
    scores = []
    for column, said in case.stored.columns.items():
        true = case.actual.columns[column]
        points = _points(true)
        if len(points):
            recorded = _skipped(said["lower"], said["upper"], points)
            scores.append(Tightness(column, recorded, _skipped(true["min"], true["max"], points)))
    return tuple(scores)


def _points(true: pa.Table) -> pa.Array:
    """The files' own extremes in order, thinned out to PROBES of them."""
    extremes = pc.unique(pa.chunked_array([*true["min"].chunks, *true["max"].chunks], true["min"].type).drop_null())
    ordered = extremes.take(pc.sort_indices(extremes))
    chosen = np.unique(np.linspace(0, max(len(ordered) - 1, 0), num=min(PROBES, len(ordered))).astype(int))
    return ordered.take(pa.array(chosen))


def _skipped(lower: pa.ChunkedArray, upper: pa.ChunkedArray, points: pa.Array) -> float:
    outside = [pc.or_(pc.greater(lower, point), pc.less(upper, point)).fill_null(False) for point in points]
    return float(np.mean([np.asarray(mask).mean() for mask in outside]))

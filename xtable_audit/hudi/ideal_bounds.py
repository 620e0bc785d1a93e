"""Which files or partitions exact bounds would keep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.hudi.actual_values import COLUMN_STATISTICS, Kind, actual_metrics_of
from xtable_audit.hudi.case import HudiStage
from xtable_audit.hudi.index import is_column, recorded_columns
from xtable_audit.model.predicate import And, Compare, In, IsNull, Or, Predicate

Mask = np.ndarray[Any, np.dtype[np.bool_]]


def could_match(stage: HudiStage, kind: Kind, predicate: Predicate) -> frozenset[str]:
    """The live files or partitions that exact bounds keep; all of them for predicates that Hudi does not prune by.

    Hudi uses both indexes for =, <, <=, >, >= and IN on indexed columns, joined by AND and OR, and column stats for
    IS NULL and IS NOT NULL too. DataSkippingUtils also supports prefixes, != and NOT IN; here they prune nothing.
    """
    everything = stage.files if kind == COLUMN_STATISTICS else stage.partitions
    of = np.array(sorted(everything), dtype=object)
    mask = _left(stage, kind, predicate, len(of), _known(stage, kind))
    return frozenset(of[mask].tolist())


def _known(stage: HudiStage, kind: Kind) -> frozenset[str]:
    """The columns with records in the index; every column if the index exists but its records were not read."""
    unread = kind in stage.indexed and stage.index.num_rows == 0
    return frozenset(stage.values.column_names if unread else recorded_columns(stage, kind))


def _left(stage: HudiStage, kind: Kind, predicate: Predicate, size: int, known: frozenset[str]) -> Mask:
    match predicate:
        case And(left, right):
            return _left(stage, kind, left, size, known) & _left(stage, kind, right, size, known)
        case Or(left, right):
            return _left(stage, kind, left, size, known) | _left(stage, kind, right, size, known)
        case IsNull(column, negated) if kind == COLUMN_STATISTICS and column in known and is_column(stage, column):
            actual = actual_metrics_of(stage, kind, column)
            some = pc.less(actual["nulls"], actual["rows"]) if negated else pc.greater(actual["nulls"], 0)
            mask: Mask = np.asarray(some)
            return mask
        case Compare(column, operator, value) if operator in MEETS and column in known and is_column(stage, column):
            return _meets(actual_metrics_of(stage, kind, column), operator, value)
        case In(column, values, negated=False) if column in known and is_column(stage, column):
            actual = actual_metrics_of(stage, kind, column)
            hits: Mask = np.logical_or.reduce([_meets(actual, "=", value) for value in values])
            return hits
    return np.ones(size, dtype=bool)


def _meets(actual: pa.Table, operator: str, value: Any) -> Mask:
    met = MEETS[operator](actual["min"], actual["max"], pa.scalar(value, actual["min"].type))
    mask: Mask = np.asarray(met.fill_null(False))
    if operator in (">", ">="):
        mask = mask | np.asarray(pc.greater(actual["nans"], 0))
    return mask


MEETS: dict[str, Callable[[pa.ChunkedArray, pa.ChunkedArray, pa.Scalar], pa.ChunkedArray]] = {
    "=": lambda low, high, value: pc.and_(pc.less_equal(low, value), pc.greater_equal(high, value)),
    "<": lambda low, _, value: pc.less(low, value),
    "<=": lambda low, _, value: pc.less_equal(low, value),
    ">": lambda _, high, value: pc.greater(high, value),
    ">=": lambda _, high, value: pc.greater_equal(high, value),
}

"""The judge's own planner: which data files a reader must keep for a predicate, by the metadata alone."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.model.columns import Leaf
from xtable_audit.model.predicate import And, Compare, In, IsNull, Operator, Or, Predicate, StartsWith
from xtable_audit.model.scalars import Mask
from xtable_audit.table.partitions import Partitioning, Transform, TransformKind
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.values.matching_rows import listed_among

_NEIGHBOUR: dict[Operator, tuple[int, Operator]] = {"<": (-1, "<="), ">": (1, ">=")}
"""A strict comparison becomes an inclusive one with the adjacent value, whose tuple may differ."""


def project(predicate: Predicate, leaf: Leaf, transform: Transform) -> Predicate | None:
    """The predicate on the partition values; None if it does not restrict them. `predicate` concerns only `leaf`.

    `!=` and NOT IN exclude null tuples, because in SQL null is unequal to nothing.
    """
    if transform.kind is TransformKind.IDENTITY:
        return predicate
    if transform.kind in (TransformKind.VOID, TransformKind.UNKNOWN):
        return None

    def tuple_of(value: Any) -> Any:
        return transform.of(pa.array([value], leaf.arrow), leaf)[0].as_py()

    match predicate:
        case IsNull():
            return predicate
        case Compare(column, "!=", _) | In(column, _, True):
            return IsNull(column, negated=True)
        case In(column, values):
            return In(column, tuple(dict.fromkeys(map(tuple_of, values))))
        case Compare(column, "=", value):
            return Compare(column, "=", tuple_of(value))
        case Compare() if transform.kind is TransformKind.BUCKET:
            return None  # buckets do not preserve order
        case Compare(column, operator, value):
            direction, lax = _NEIGHBOUR.get(operator, (0, operator))
            try:
                return Compare(column, lax, tuple_of(_next(value, direction)))
            except (OverflowError, pa.ArrowInvalid):  # the calendar or the type ends here
                return Compare(column, lax, tuple_of(value))
        case StartsWith(column, prefix) if transform.kind is TransformKind.TRUNCATE:
            return StartsWith(column, tuple_of(prefix))
    return None


def _next(value: Any, direction: int) -> Any:
    """The adjacent value below (-1) or above (1); the value itself if its type has no adjacent values."""
    match value:
        case dt.datetime():
            return value + direction * dt.timedelta(microseconds=1)
        case dt.date():
            return value + direction * dt.timedelta(days=1)
        case Decimal():
            return value + direction * Decimal((0, (1,), int(value.as_tuple().exponent)))
        case int():
            return value + direction
    return value


def select(stored: StoredMetrics, predicate: Predicate | None, *, by_tuples: bool = True) -> Mask:
    """As `JudgePlanner.select`, for one predicate."""
    return JudgePlanner(stored).select(predicate, by_tuples=by_tuples)


@dataclass(frozen=True)
class Metrics:
    """What every predicate on a column asks of its metrics; `may_have…` are of files whose counts do not exclude it."""

    stored: pa.Table
    upper: pa.ChunkedArray
    may_have_values: Mask
    may_have_numbers: Mask


class JudgePlanner:
    """Of one table. For many predicates it reads each column's metrics once."""

    def __init__(self, stored: StoredMetrics) -> None:
        self.stored = stored
        self._metrics: dict[str, Metrics] = {}

    def select(self, predicate: Predicate | None, *, by_tuples: bool = True) -> Mask:
        """True for each data file that a reader keeps, in the order of `stored.files`; by metrics only without
        `by_tuples`.

        Like other planners of Iceberg, it evaluates the whole predicate against each kind of proof separately.
        Combining proofs leaf by leaf would be correct and prune more (one side of an OR by the tuple, the other by
        bounds); none does it. Delta's planners do: see `TargetRules.one_proof`.
        """
        if predicate is None:
            return np.ones(self.stored.files.num_rows, dtype=bool)
        proofs = (
            (_by_value_or_metrics,) if self.stored.native.rules.one_proof else (_by_summary, _by_tuple, _by_metrics)
        )
        kept = self._may_have_rows
        for proof in proofs if by_tuples else (_by_metrics,):
            kept = kept & _may_match(self, predicate, proof)
        return kept

    def leaf(self, column: str) -> Leaf:
        if (leaf := self._leaves.get(column)) is None:
            raise KeyError(f"no column {column!r} to prune by in {self.stored.metadata_location}")
        return leaf

    def metrics(self, column: str) -> Metrics:
        if column not in self._metrics:
            stored = self.stored.columns[column]
            values, numbers = (
                _unless(pc.equal(stored[count], stored["value_count"])) for count in ("null_count", "nan_count")
            )
            self._metrics[column] = Metrics(
                stored, self.stored.native.rules.reach(stored["upper"]), values, values & numbers
            )
        return self._metrics[column]

    @cached_property
    def _may_have_rows(self) -> Mask:
        if not self.stored.native.rules.plans_by_counts:
            return np.ones(self.stored.files.num_rows, dtype=bool)
        return np.asarray(pc.not_equal(self.stored.files["record_count"], 0).fill_null(True))

    @cached_property
    def _leaves(self) -> dict[str, Leaf]:
        return {leaf.path: leaf for leaf in reversed(self.stored.leaves)}


Proof = Callable[[JudgePlanner, Leaf, Predicate], Mask]


def _may_match(planner: JudgePlanner, predicate: Predicate, proof: Proof) -> Mask:
    if isinstance(predicate, And):
        return _may_match(planner, predicate.left, proof) & _may_match(planner, predicate.right, proof)
    if isinstance(predicate, Or):
        return _may_match(planner, predicate.left, proof) | _may_match(planner, predicate.right, proof)
    return proof(planner, planner.leaf(getattr(predicate, "column", "")), predicate)


def _by_metrics(planner: JudgePlanner, leaf: Leaf, predicate: Predicate) -> Mask:
    """Files that the bounds and counts keep."""
    metrics = planner.metrics(leaf.path)
    match predicate:
        case IsNull(negated=False):
            return _unless(pc.equal(metrics.stored["null_count"], 0))
        case IsNull() | Compare(operator="!=") | In(negated=True):
            return metrics.may_have_values
        case StartsWith(prefix=prefix):
            return metrics.may_have_values & _range_meets(metrics.stored["lower"], metrics.upper, predicate, prefix)
        case Compare(value=value) | In(values=value):
            return metrics.may_have_numbers & _range_meets(metrics.stored["lower"], metrics.upper, predicate, value)
    raise TypeError(f"{type(predicate).__name__} is not a predicate of the judge")


def _range_meets(lower: pa.ChunkedArray, upper: pa.ChunkedArray, predicate: Predicate, value: Any) -> Mask:
    """Whether [lower, upper] can hold a matching value. An absent bound excludes nothing."""
    if isinstance(predicate, In):
        hits = [_range_meets(lower, upper, Compare(predicate.column, "=", v), v) for v in value]
        return np.logical_or.reduce(hits) if hits else np.zeros(len(lower), dtype=bool)
    if isinstance(predicate, StartsWith):
        after = _unless(pc.greater(pc.utf8_slice_codeunits(lower, 0, len(value)), value))
        return after & _unless(pc.less(pc.utf8_slice_codeunits(upper, 0, len(value)), value))
    scalar = pa.scalar(value, lower.type)
    assert isinstance(predicate, Compare)
    match predicate.operator:
        case "=":
            return _unless(pc.greater(lower, scalar)) & _unless(pc.less(upper, scalar))
        case "<":
            return _unless(pc.greater_equal(lower, scalar))
        case "<=":
            return _unless(pc.greater(lower, scalar))
        case ">":
            return _unless(pc.less_equal(upper, scalar))
        case ">=":
            return _unless(pc.less(upper, scalar))
    raise TypeError(f"{predicate.operator} bounds no range")


def _by_tuple(planner: JudgePlanner, leaf: Leaf, predicate: Predicate) -> Mask:
    """Files that the partition tuples derived from this column keep."""
    kept = np.ones(planner.stored.files.num_rows, dtype=bool)
    for one, name, projection in _projected(planner.stored, leaf, predicate):
        kept &= _holds(one.tuples[name], projection) | ~planner.stored.under(one)
    return kept


def _by_value_or_metrics(planner: JudgePlanner, leaf: Leaf, predicate: Predicate) -> Mask:
    """Files that the column's own statistics keep, and the partition columns that are generated from it.

    Of a partition column the value alone counts: its data is not in the files.
    """
    fields = [field for one in planner.stored.partitionings for field, _ in one.fields((leaf,))]
    by_tuple = _by_tuple(planner, leaf, predicate)
    if any(field.transform.kind is TransformKind.IDENTITY for field in fields):
        return by_tuple
    return by_tuple & _by_metrics(planner, leaf, predicate)


def _by_summary(planner: JudgePlanner, leaf: Leaf, predicate: Predicate) -> Mask:
    """Files that the partition summaries in the manifest list keep. Delta has none."""
    kept = np.ones(planner.stored.files.num_rows, dtype=bool)
    for one, name, projection in _projected(planner.stored, leaf, predicate):
        if (summary := one.summaries.get(name)) is not None:
            kept &= _range_holds(summary, projection) | ~np.asarray(summary["present"])
    return kept


def _projected(
    stored: StoredMetrics, leaf: Leaf, predicate: Predicate
) -> Iterator[tuple[Partitioning, str, Predicate]]:
    """The partition fields derived from the column, in every spec, each with the projected predicate."""
    for one in stored.partitionings:
        for field, column in one.fields((leaf,)):
            if (projection := project(predicate, column, field.transform)) is not None:
                yield one, field.name, projection


def _holds(value: pa.ChunkedArray, predicate: Predicate) -> Mask:
    """Which tuples match."""
    match predicate:
        case IsNull(negated=negated):
            matches = pc.is_valid(value) if negated else pc.is_null(value)
        case Compare(operator="!=", value=other):
            matches = pc.not_equal(value, pa.scalar(other, value.type)).fill_null(False)
        case In(values=values, negated=True):
            matches = pc.and_(pc.is_valid(value), pc.invert(listed_among(value, values)))
        case _:
            meets = _range_meets(value, value, predicate, _operand(predicate))
            number = pc.is_valid(value)
            if pa.types.is_floating(value.type):
                number = pc.and_(number, pc.invert(pc.is_nan(value)).fill_null(False))  # no comparison matches NaN
            matches = pc.and_(number, pa.chunked_array([pa.array(meets)]))
    return np.asarray(matches)


def _range_holds(summary: pa.Table, predicate: Predicate) -> Mask:
    """Whether the file's manifest can hold a matching tuple. Null bounds mean that it holds no value except NaN."""
    has_numbers = np.asarray(pc.and_(pc.is_valid(summary["lower"]), pc.is_valid(summary["upper"])))
    match predicate:
        case IsNull(negated=False):
            return np.asarray(summary["contains_null"].fill_null(True))
        case IsNull() | Compare(operator="!=") | In(negated=True) if pa.types.is_floating(summary["lower"].type):
            kept: Mask = has_numbers | np.asarray(summary["contains_nan"].fill_null(True))
            return kept
        case IsNull() | Compare(operator="!=") | In(negated=True):
            return has_numbers
    return has_numbers & _range_meets(summary["lower"], summary["upper"], predicate, _operand(predicate))


def _operand(predicate: Predicate) -> Any:
    match predicate:
        case In(values=value) | Compare(value=value) | StartsWith(prefix=value):
            return value
    raise TypeError(f"{type(predicate).__name__} has no operand")


def _unless(proof: pa.ChunkedArray) -> Mask:
    """True unless `proof` excludes the file; null keeps it."""
    return ~np.asarray(proof.fill_null(False))

"""The judge's own planner: which data files a reader must keep for a predicate, by the metadata alone.

It is inclusive, as the Iceberg spec (Scan Planning) requires: it keeps a file unless the file's partition tuple, bounds
or counts prove that no row matches. Vectorised over files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.model.columns import Leaf
from xtable_audit.model.predicate import And, Compare, In, IsNull, Or, Predicate, StartsWith
from xtable_audit.planning.projection import project
from xtable_audit.table.partitions import Partitioning, TransformKind
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.values.matching_rows import listed_among

Mask = np.ndarray[Any, np.dtype[np.bool_]]


def select(stored: StoredMetrics, predicate: Predicate | None, *, by_tuples: bool = True) -> Mask:
    """True for each data file that a reader keeps, in the order of `stored.files`; by metrics only without `by_tuples`.

    Like other planners of Iceberg, it evaluates the whole predicate against each kind of proof separately. Combining
    proofs leaf by leaf would be correct and prune more (one side of an OR by the tuple, the other by bounds); none does
    it. Delta's planners do: see `TargetRules.one_proof`.
    """
    everything = np.ones(stored.files.num_rows, dtype=bool)
    if predicate is None:
        return everything
    kept = np.asarray(pc.not_equal(stored.files["record_count"], 0).fill_null(True))
    proofs = (_by_value_or_metrics,) if stored.native.rules.one_proof else (_by_summary, _by_tuple, _by_metrics)
    for proof in proofs if by_tuples else (_by_metrics,):
        kept = kept & _may_match(stored, predicate, proof)
    return kept


Proof = Callable[[StoredMetrics, Leaf, Predicate], Mask]


def _may_match(stored: StoredMetrics, predicate: Predicate, proof: Proof) -> Mask:
    if isinstance(predicate, And):
        return _may_match(stored, predicate.left, proof) & _may_match(stored, predicate.right, proof)
    if isinstance(predicate, Or):
        return _may_match(stored, predicate.left, proof) | _may_match(stored, predicate.right, proof)
    column: str = getattr(predicate, "column", "")
    leaf = next((leaf for leaf in stored.leaves if leaf.path == column), None)
    if leaf is None:
        raise KeyError(f"no column {column!r} to prune by in {stored.metadata_location}")
    return proof(stored, leaf, predicate)


def _by_metrics(stored: StoredMetrics, leaf: Leaf, predicate: Predicate) -> Mask:
    """Files that the bounds and counts keep."""
    metrics = stored.columns[leaf.path]
    has_values = _unless(pc.equal(metrics["null_count"], metrics["value_count"]))
    upper = stored.native.rules.reach(metrics["upper"])
    match predicate:
        case IsNull(negated=False):
            return _unless(pc.equal(metrics["null_count"], 0))
        case IsNull() | Compare(operator="!=") | In(negated=True):
            return has_values
        case StartsWith(prefix=prefix):
            return has_values & _range_meets(metrics["lower"], upper, predicate, prefix)
        case Compare(value=value) | In(values=value):
            has_numbers = _unless(pc.equal(metrics["nan_count"], metrics["value_count"]))
            return has_values & has_numbers & _range_meets(metrics["lower"], upper, predicate, value)
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
    not_above = _unless(pc.greater(lower, scalar))
    not_below = _unless(pc.less(upper, scalar))
    return {
        "=": not_above & not_below,
        "<": _unless(pc.greater_equal(lower, scalar)),
        "<=": not_above,
        ">": _unless(pc.less_equal(upper, scalar)),
        ">=": not_below,
    }[predicate.operator]


def _by_tuple(stored: StoredMetrics, leaf: Leaf, predicate: Predicate) -> Mask:
    """Files that the partition tuples derived from this column keep."""
    kept = np.ones(stored.files.num_rows, dtype=bool)
    for one, name, projection in _projected(stored, leaf, predicate):
        kept &= _holds(one.tuples[name], projection) | ~stored.under(one)
    return kept


def _by_value_or_metrics(stored: StoredMetrics, leaf: Leaf, predicate: Predicate) -> Mask:
    """Files that the column's own statistics keep, and the partition columns that are generated from it.

    Of a partition column the value alone counts: its data is not in the files.
    """
    fields = [field for one in stored.partitionings for field, _ in one.fields((leaf,))]
    by_tuple = _by_tuple(stored, leaf, predicate)
    if any(field.transform.kind is TransformKind.IDENTITY for field in fields):
        return by_tuple
    return by_tuple & _by_metrics(stored, leaf, predicate)


def _by_summary(stored: StoredMetrics, leaf: Leaf, predicate: Predicate) -> Mask:
    """Files that the partition summaries in the manifest list keep. Delta has none."""
    kept = np.ones(stored.files.num_rows, dtype=bool)
    for one, name, projection in _projected(stored, leaf, predicate):
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

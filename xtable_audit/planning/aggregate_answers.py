"""The true answers to what readers are asked, by values, what the metadata gives, and where the two differ."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.model.aggregate import Aggregate, Function
from xtable_audit.model.columns import HUDIS_OWN, Leaf
from xtable_audit.model.predicate import IsNull, Predicate
from xtable_audit.model.scalars import Mask, plain
from xtable_audit.planning.selection import Selection
from xtable_audit.subject.case import Case
from xtable_audit.table.partitions import TransformKind
from xtable_audit.values.matching_rows import holds

STORED = {"min": "lower", "max": "upper"}
"""The stored bound that such an answer comes from."""
Selections = Mapping[Predicate, Selection]


def columns_of_its_own(case: Case) -> list[Leaf]:
    return [leaf for leaf in case.stored.leaves if leaf.parent is None and not leaf.path.startswith(HUDIS_OWN)]


def any_row(case: Case) -> Predicate | None:
    """A predicate that every row matches; None for a table without a column."""
    first = next(iter(columns_of_its_own(case)), None)
    return None if first is None else IsNull(first.path) | IsNull(first.path, negated=True)


def identities(case: Case) -> Mapping[str, pa.ChunkedArray]:
    """The columns that the current spec partitions by as they are, with the tuples' values."""
    fields = case.stored.partitioning.fields(case.stored.leaves)
    return {
        leaf.path: case.stored.partition[field.name]
        for field, leaf in fields
        if field.transform.kind is TransformKind.IDENTITY and leaf.path in case.actual.columns
    }


def true_answers(case: Case, asked: Aggregate, matching: Selections) -> tuple[Any, ...]:
    """The answers of which any is right; none if it is not known. `matching` counts live rows.

    Engines differ in whether NaN is the greatest number or none. Of a table with row-level deletes the values that are
    left are not known, nor those of a file that is not read or not there. Of the column of an identity partition a
    reader may show the tuple: if that has another value, the rows and it contradict each other.
    """
    if case.without_object:
        return ()
    if asked.column is None:
        rows = _rows(case, asked.predicate, matching)
        return rows if asked.limit is None else tuple(min(asked.limit, one) for one in rows)
    actual = case.actual.columns[asked.column]
    if case.stored.deletions.applied or actual["value_count"].null_count or np.any(_in_another(case, {asked.column})):
        return ()
    if asked.function == "count":
        return (_sum(actual["value_count"]) - _sum(actual["null_count"]),)
    value = extreme(actual[asked.function], asked.function)
    return (value, math.nan) if _sum(actual["nan_count"]) else (value,)


def _rows(case: Case, predicate: Predicate | None, matching: Selections) -> tuple[int, ...]:
    """Of a file that is listed twice a reader shows each row twice; how many of them match is not counted."""
    if predicate is None and not case.stored.deletions.applied:
        return (rows_of(case),)
    predicate = predicate or any_row(case)
    if predicate is None or len({*case.stored.paths}) < len(case.stored.paths):
        return ()
    return (matching[predicate].rows_returned,)


def rows_of(case: Case) -> int:
    """Rows of all files, deleted ones among them."""
    return _sum(case.actual.files["record_count"])


def stored_answer(case: Case, asked: Aggregate) -> Any:
    """What the metadata gives, if it is believed."""
    stored = case.stored
    if asked.column is None:
        counts = stored.files["record_count"]
        return _sum(counts if asked.predicate is None else counts.filter(_in_partition(case, asked.predicate)))
    metrics = stored.columns[asked.column]
    if asked.function == "count":
        return _sum(valued(metrics))
    return extreme(metrics[STORED[asked.function]], asked.function)


def _in_partition(case: Case, predicate: Predicate) -> pa.ChunkedArray:
    """The files whose tuple matches a predicate on columns of identity partitions."""
    return pc.and_kleene(holds(predicate, dict(identities(case))), pa.array(_under_current(case)))


def _under_current(case: Case) -> Mask:
    return case.stored.under(case.stored.partitioning)


def extreme(values: pa.ChunkedArray, function: Function) -> Any:
    """The least or the greatest value, NaN left out; None if there is none."""
    known = values.drop_null()
    if pa.types.is_floating(known.type):
        known = known.filter(pc.invert(pc.is_nan(known)))
    if not len(known):
        return None
    return plain(known[pc.sort_indices(known)[0 if function == "min" else -1].as_py()])


def misleading(case: Case, asked: Aggregate, matching: Selections) -> tuple[int, ...]:
    """The files (rows of the stored metrics) whose metadata gives another answer than their values, or excludes rows
    that match.
    """
    if asked.form in ("join", "applied") and asked.predicate is not None:
        chosen = matching[asked.predicate]
        files = chosen.lost or chosen.matching & beyond_bounds(case, asked.columns)
        return tuple(place for place, path in enumerate(case.stored.paths) if path in files)
    return tuple(int(place) for place in np.flatnonzero(_misleads(case, asked)))


def beyond_bounds(case: Case, columns: Collection[str]) -> frozenset[str]:
    """Files with a value beyond a bound: of one that is kept for another value, an engine may still leave out rows."""
    found = np.zeros(case.stored.files.num_rows, dtype=bool)
    for column in columns:
        stored, actual = case.stored.columns[column], case.actual.columns[column]
        beyond = (pc.greater(stored["lower"], actual["min"]), pc.less(stored["upper"], actual["max"]))
        found |= np.logical_or.reduce([np.asarray(pc.fill_null(one, False)) for one in beyond])
    return frozenset(path for path, one in zip(case.stored.paths, found, strict=True) if one)


def _misleads(case: Case, asked: Aggregate) -> Mask:
    return _unlike(*_compared(case, asked)) | _in_another(case, asked.columns)


def _compared(case: Case, asked: Aggregate) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    """What the answer is computed from, stored and actual."""
    if asked.column is None:
        return case.stored.files["record_count"], case.actual.files["record_count"]
    stored, actual = case.stored.columns[asked.column], case.actual.columns[asked.column]
    if asked.function == "count":
        return valued(stored), valued(actual)
    return stored[STORED[asked.function]], actual[asked.function]


def _in_another(case: Case, columns: Collection[str]) -> Mask:
    """Where the tuple has another value of one of these columns than the file's rows."""
    found = np.zeros(case.stored.files.num_rows, dtype=bool)
    for column, tuples in identities(case).items():
        if column in columns:
            least = case.actual.columns[column]["min"]
            unlike = np.asarray(pc.fill_null(pc.not_equal(tuples, least), False))
            found |= unlike | (np.asarray(tuples.is_null()) != np.asarray(least.is_null()))
    return found & _under_current(case)


def valued(metrics: pa.Table) -> pa.ChunkedArray:
    return pc.subtract(metrics["value_count"], metrics["null_count"])


def _unlike(stored: pa.ChunkedArray, actual: pa.ChunkedArray) -> Mask:
    """Where something is stored that is not the actual value, NaN and values that are not there included."""
    return np.asarray(pc.and_(stored.is_valid(), pc.fill_null(pc.not_equal(stored, actual), True)))


def _sum(counts: pa.ChunkedArray) -> int:
    return pc.sum(counts).as_py() or 0


def same(one: Any, other: Any) -> bool:
    """Whether two answers are the same value. Zeros are equal, and a time in a zone is equal to its instant in UTC."""
    if one is None or other is None:
        return one is other
    if isinstance(one, float) and isinstance(other, float) and (math.isnan(one) or math.isnan(other)):
        return math.isnan(one) and math.isnan(other)
    if isinstance(one, dt.datetime) and isinstance(other, dt.datetime):
        return _instant(one) == _instant(other)
    return bool(one == other)


def _instant(moment: dt.datetime) -> dt.datetime:
    return moment.replace(tzinfo=dt.UTC) if moment.tzinfo is None else moment

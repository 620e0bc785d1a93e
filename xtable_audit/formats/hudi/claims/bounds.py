"""Bounds in Hudi's indexes against the actual values, after every event of the table's history.

For `= v` Hudi evaluates `lower <= v AND v <= upper` on a record, and skips if that is false *or unknown*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.claims.bounds import absent, loose, outside, span
from xtable_audit.formats.hudi.claims.deviation import HudiDeviation
from xtable_audit.formats.hudi.claims.records import KINDS, IndexedColumn, claim_on_records, indexes, recorded, true
from xtable_audit.formats.hudi.index import COLUMN_STATISTICS, PARTITION_STATISTICS, Kind
from xtable_audit.formats.hudi.indexed_table import HudiCase
from xtable_audit.model.finding import Verdict
from xtable_audit.model.scalars import Mask

SPEC = "Hudi, Metadata Table: the column stats and partition stats indexes hold the minimum and maximum of a column"


@claim_on_records("every bound in Hudi's indexes is a value of its column's type", spec=SPEC, breaks=Verdict.UNREADABLE)
def every_bound_can_be_read(case: HudiCase) -> Iterator[HudiDeviation]:
    """The other claims skip the columns that this one reports."""
    for index in indexes(case, *KINDS):
        for column, why in index.case.stored.undecodable.items():
            words = [f"{one} for" for one in why.to_pylist()]
            yield from index.deviations(
                column, true(why.is_valid()), words.__getitem__, lambda i: "a value of its type"
            )


@claim_on_records(
    "partition statistics contain every value of their partition",
    spec=f"{SPEC}; without bounds it skips the partition",
    breaks=Verdict.UNSOUND,
)
def partition_statistics_contain_every_value(case: HudiCase) -> Iterator[HudiDeviation]:
    yield from _deviations(case, _outside, PARTITION_STATISTICS)


@claim_on_records(
    "column statistics contain every value of their file",
    spec=f"{SPEC}; without bounds it skips the file",
    breaks=Verdict.UNSOUND,
)
def column_statistics_contain_every_value(case: HudiCase) -> Iterator[HudiDeviation]:
    yield from _deviations(case, _outside, COLUMN_STATISTICS)


@claim_on_records(
    "the upper bound of values among which is NaN is NaN",
    spec="Spark SQL, NaN Semantics: NaN is greater than any other number, so `> 5` asks for it",
    breaks=Verdict.UNSOUND,
)
def nan_lies_within_the_bounds(case: HudiCase) -> Iterator[HudiDeviation]:
    yield from _deviations(case, lambda column: _has_nan(column) & ~_nan(column.stored["upper"]), *KINDS)


@claim_on_records(
    "partition statistics are the smallest and the largest value of their partition", spec=SPEC, breaks=Verdict.LOOSE
)
def partition_statistics_are_tight(case: HudiCase) -> Iterator[HudiDeviation]:
    yield from _deviations(case, _loose, PARTITION_STATISTICS)


@claim_on_records(
    "column statistics are the smallest and the largest value of their file", spec=SPEC, breaks=Verdict.LOOSE
)
def column_statistics_are_tight(case: HudiCase) -> Iterator[HudiDeviation]:
    yield from _deviations(case, _loose, COLUMN_STATISTICS)


@claim_on_records(
    "bounds that Hudi calls tight are the smallest and the largest value",
    spec="HoodieMetadataColumnStats, isTightBound",
    breaks=Verdict.COSMETIC,
)
def bounds_called_tight_are_tight(case: HudiCase) -> Iterator[HudiDeviation]:
    yield from _deviations(
        case, lambda column: _loose(column) & true(column.stored["tight"]), *KINDS, called="called tight: "
    )


def _outside(column: IndexedColumn) -> Mask:
    """Marks bounds by which Hudi skips values: too narrow, absent, or a lower one that is NaN."""
    stored, actual = column.stored, column.actual
    wrong = outside(column.index.case, stored, actual) | true(absent(stored)) | _nan(stored["lower"])
    return wrong & true(pc.is_valid(actual["min"]))


def _loose(column: IndexedColumn) -> Mask:
    """Marks bounds beyond the actual extremes, or stored although there are no values."""
    stored, actual = column.stored, column.actual
    bounded = true(pc.or_(pc.is_valid(stored["lower"]), pc.is_valid(stored["upper"])))
    nothing = true(pc.equal(actual["value_count"], actual["null_count"]))
    far = loose(column.index.case, column.name, stored, actual)
    return far | (bounded & nothing) | (_nan(stored["upper"]) & ~_has_nan(column))


def _nan(bound: pa.ChunkedArray) -> Mask:
    return true(pc.is_nan(bound)) if pa.types.is_floating(bound.type) else np.zeros(len(bound), dtype=bool)


def _has_nan(column: IndexedColumn) -> Mask:
    return true(pc.greater(column.actual["nan_count"], 0))


def _deviations(
    case: HudiCase, wrong: Callable[[IndexedColumn], Mask], *kinds: Kind, called: str = ""
) -> Iterator[HudiDeviation]:
    for column in recorded(case, *kinds):
        yield from column.deviations(wrong(column), *_words(column, called))


def _words(column: IndexedColumn, called: str) -> tuple[Callable[[int], str], Callable[[int], str]]:
    stored, actual = column.stored, column.actual

    def values(i: int) -> str:
        nans = actual["nan_count"][i].as_py()
        return f"{span(actual['min'][i], actual['max'][i])}{f' and {nans} NaN' if nans else ''}, its values"

    return lambda i: f"{called}{span(stored['lower'][i], stored['upper'][i])} for", values

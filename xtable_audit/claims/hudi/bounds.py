"""Bounds in Hudi's indexes against the actual values, after every event of the table's history.

For `= v` Hudi evaluates `lower <= v AND v <= upper` on a record, and skips if that is false *or unknown*.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.claims.hudi.index_walk import KINDS, IndexAtStage, Mask, claim_on_records, indexes, recorded, true
from xtable_audit.hudi.actual_values import COLUMN_STATISTICS, PARTITION_STATISTICS, Kind
from xtable_audit.hudi.case import HudiCase
from xtable_audit.hudi.deviation import Deviation
from xtable_audit.hudi.index import is_column, recorded_columns, statistics
from xtable_audit.model.finding import Verdict
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.scalars import show

SPEC = "Hudi, Metadata Table: the column stats and partition stats indexes hold the minimum and maximum of a column"


@claim_on_records("every bound in Hudi's indexes is a value of its column's type", spec=SPEC, breaks=Verdict.UNREADABLE)
def every_bound_can_be_read(case: HudiCase) -> Iterator[Deviation]:
    """The other claims skip the columns that this one reports."""
    for place in indexes(case, *KINDS):
        for column in recorded_columns(place.stage, place.kind):
            try:
                if is_column(place.stage, column):
                    statistics(place.stage, place.kind, column)
            except Malformed as malformed:
                saw = f"{malformed} {place.words}"
                yield Deviation(saw, "a value of its type", place.stage.files, place.number, column)


@claim_on_records(
    "partition statistics contain every value of their partition",
    spec=f"{SPEC}; without bounds it skips the partition",
    breaks=Verdict.UNSOUND,
)
def partition_statistics_contain_every_value(case: HudiCase) -> Iterator[Deviation]:
    yield from _containing(case, PARTITION_STATISTICS)


@claim_on_records(
    "column statistics contain every value of their file",
    spec=f"{SPEC}; without bounds it skips the file",
    breaks=Verdict.UNSOUND,
)
def column_statistics_contain_every_value(case: HudiCase) -> Iterator[Deviation]:
    yield from _containing(case, COLUMN_STATISTICS)


@claim_on_records(
    "the upper bound of values among which is NaN is NaN",
    spec="Spark SQL, NaN Semantics: NaN is greater than any other number, so `> 5` asks for it",
    breaks=Verdict.UNSOUND,
)
def nan_lies_within_the_bounds(case: HudiCase) -> Iterator[Deviation]:
    for place, column, said in recorded(case, *KINDS):
        if pa.types.is_floating(said["upper"].type):
            outside = true(pc.greater(said["nans"], 0)) & ~true(pc.is_nan(said["upper"]))
            yield from _deviation(place, column, said, outside)


@claim_on_records(
    "partition statistics are the smallest and the largest value of their partition",
    spec=SPEC,
    breaks=Verdict.LOOSE,
)
def partition_statistics_are_tight(case: HudiCase) -> Iterator[Deviation]:
    yield from _tight(case, PARTITION_STATISTICS)


@claim_on_records(
    "column statistics are the smallest and the largest value of their file",
    spec=SPEC,
    breaks=Verdict.LOOSE,
)
def column_statistics_are_tight(case: HudiCase) -> Iterator[Deviation]:
    yield from _tight(case, COLUMN_STATISTICS)


@claim_on_records(
    "bounds that Hudi calls tight are the smallest and the largest value",
    spec="HoodieMetadataColumnStats, isTightBound",
    breaks=Verdict.COSMETIC,
)
def bounds_called_tight_are_tight(case: HudiCase) -> Iterator[Deviation]:
    for place, column, said in recorded(case, *KINDS):
        yield from _deviation(place, column, said, _loose(said) & true(said["tight"]), "called tight: ")


def _containing(case: HudiCase, kind: Kind) -> Iterator[Deviation]:
    for place, column, said in recorded(case, kind):
        unknown = true(pc.or_(pc.is_null(said["lower"]), pc.is_null(said["upper"])))
        too_high = true(pc.greater(said["lower"], said["min"])) | _nan(said["lower"])
        too_low = true(pc.less(said["upper"], said["max"]))
        yield from _deviation(place, column, said, true(pc.is_valid(said["min"])) & (unknown | too_high | too_low))


def _tight(case: HudiCase, kind: Kind) -> Iterator[Deviation]:
    for place, column, said in recorded(case, kind):
        yield from _deviation(place, column, said, _loose(said))


def _loose(said: pa.Table) -> Mask:
    """Marks bounds beyond the actual extremes, or stored although there are no values."""
    bounded = true(pc.or_(pc.is_valid(said["lower"]), pc.is_valid(said["upper"])))
    nothing = true(pc.equal(said["rows"], said["nulls"]))
    far = true(pc.less(said["lower"], said["min"])) | true(pc.greater(said["upper"], said["max"]))
    nan = _nan(said["upper"]) & true(pc.equal(said["nans"], 0))
    return (bounded & nothing) | far | nan


def _nan(bound: pa.ChunkedArray) -> Mask:
    return true(pc.is_nan(bound)) if pa.types.is_floating(bound.type) else np.zeros(len(bound), dtype=bool)


def _deviation(place: IndexAtStage, column: str, said: pa.Table, wrong: Mask, called: str = "") -> Iterator[Deviation]:
    def between(low: str, high: str, i: int) -> str:
        return f"[{show(said[low][i].as_py())} … {show(said[high][i].as_py())}]"

    def values(i: int) -> str:
        nans = said["nans"][i].as_py()
        return f"{between('min', 'max', i)}{f' and {nans} NaN' if nans else ''}, its values"

    return place.deviation(
        said["of"].to_pylist(), wrong, lambda i: f"{called}{between('lower', 'upper', i)} for", values, column
    )

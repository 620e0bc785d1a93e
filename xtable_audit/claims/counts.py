"""Stored record, value, null and NaN counts against the actual counts of their file."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.claims.deviation import Deviation, deviation, file_name
from xtable_audit.claims.needs import COUNTED, COUNTED_FILES, NANS_COUNTED, NULLS_COUNTED, counted_rows
from xtable_audit.model import rules
from xtable_audit.model.claim import claim
from xtable_audit.model.figures import many
from xtable_audit.model.finding import Verdict
from xtable_audit.model.scalars import show
from xtable_audit.subject.case import Case


@claim(
    "record_count is the number of rows of the file",
    needs=COUNTED_FILES,
    spec=rules.RECORD_COUNT,
    breaks=Verdict.UNSOUND,
)
def record_counts_are_exact(case: Case) -> Iterator[Deviation]:
    """Readers answer `count(*)` by it: PyIceberg's `scan().count()` for files that match as a whole, and Spark with
    `spark.sql.iceberg.aggregate-push-down.enabled`, which is on by default. Planners drop a file with 0.
    """
    stored, true = case.stored.files["record_count"], counted_rows(case)
    name = case.rules.term("record_count")
    yield from deviation(
        pc.not_equal(stored, true),
        saw=lambda i: f"{name} {stored[i]} for {file_name(case, i)}",
        expected=lambda i: many(true[i].as_py(), "row"),
    )


@claim(
    "value counts are the number of values of the column, nulls included",
    needs=COUNTED,
    spec=rules.VALUE_COUNTS,
    breaks=Verdict.COSMETIC,
)
def value_counts_are_exact(case: Case) -> Iterator[Deviation]:
    """UNSOUND if the stored count equals the null or NaN count although other values exist: readers skip the file."""
    for column, stored in case.stored.columns.items():
        true = case.actual.columns[column]
        skips = pc.or_kleene(_falsely_all("null_count", stored, true), _falsely_all("nan_count", stored, true))
        yield from _count(case, column, "value_count", skips, required=True)


@claim(
    "null counts are the number of nulls of the column",
    needs=NULLS_COUNTED,
    spec=rules.NULL_COUNTS,
    breaks=Verdict.COSMETIC,
)
def null_counts_are_exact(case: Case) -> Iterator[Deviation]:
    """UNSOUND if it makes a reader skip: all nulls stored and values exist, or no nulls stored and some exist."""
    for column, stored in case.stored.columns.items():
        true = case.actual.columns[column]
        no_nulls = pc.and_(pc.equal(stored["null_count"], 0), pc.greater(true["null_count"], 0))
        skips = pc.or_kleene(_falsely_all("null_count", stored, true), no_nulls)
        yield from _count(case, column, "null_count", skips, required=True)


@claim(
    "NaN counts, where there are any, are the number of NaNs of the column",
    needs=NANS_COUNTED,
    spec=rules.NAN_COUNTS,
    breaks=Verdict.COSMETIC,
)
def nan_counts_are_exact(case: Case) -> Iterator[Deviation]:
    """UNSOUND if it makes a reader skip: all NaN stored and numbers exist, or no NaN stored and some exist."""
    for column, stored in case.stored.columns.items():
        true = case.actual.columns[column]
        no_nans = pc.and_(pc.equal(stored["nan_count"], 0), pc.greater(true["nan_count"], 0))
        skips = pc.or_kleene(_falsely_all("nan_count", stored, true), no_nans)
        yield from _count(case, column, "nan_count", skips, required=False)


def _falsely_all(count: str, stored: pa.Table, true: pa.Table) -> pa.ChunkedArray:
    """Marks files whose stored counts say that every value is null, or NaN, although some are not."""
    return pc.and_(pc.equal(stored[count], stored["value_count"]), pc.less(true[count], true["value_count"]))


def _count(case: Case, column: str, name: str, skips: pa.ChunkedArray, *, required: bool) -> Iterator[Deviation]:
    """Deviations of one count of one column; UNSOUND for the files that `skips` marks."""
    stored, true = case.stored.columns[column][name], case.actual.columns[column][name]
    wrong, skips = pc.not_equal(stored, true).fill_null(False), skips.fill_null(False)
    if required:
        latitude = case.stored.latitude
        free = latitude.over(latitude.counts, column, case.stored.files.num_rows)
        # writers do not count columns that are added later
        held = pa.chunked_array([pc.and_not(case.actual.held[column], pa.array(free))])
        wrong = pc.or_(wrong, pc.and_(pc.is_null(stored), pc.and_(held, pc.is_valid(true))))
        wide = latitude.over(latitude.wide, column, case.stored.files.num_rows)
        wrong = pc.and_(wrong, pc.or_(skips, pa.chunked_array([pa.array(~wide)])))
    for mask, verdict in ((pc.and_(wrong, skips), Verdict.UNSOUND), (pc.and_not(wrong, skips), None)):
        yield from deviation(
            mask,
            saw=lambda i: f"{case.rules.term(name)} {show(stored[i])} for {file_name(case, i)}",
            expected=lambda i: f"{true[i]}, counted in its values",
            column=column,
            verdict=verdict,
            absent=pc.is_null(stored),
        )

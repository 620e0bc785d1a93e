"""Stored record, value, null and NaN counts against the actual counts of their file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

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
    `spark.sql.iceberg.aggregate-push-down.enabled`, which is on by default. Planners drop a file with 0. Of a format
    whose readers do neither, as Hudi, it is COSMETIC.
    """
    stored, true = case.stored.files["record_count"], counted_rows(case)
    name = case.rules.term("record_count")
    yield from deviation(
        pc.not_equal(stored, true),
        saw=lambda i: f"{name} {stored[i]} for {file_name(case, i)}",
        expected=lambda i: many(true[i].as_py(), "row"),
        verdict=None if case.rules.plans_by_counts else Verdict.COSMETIC,
    )


@claim(
    "value counts are the number of values of the column, nulls included",
    needs=COUNTED,
    spec=rules.VALUE_COUNTS,
    breaks=Verdict.COSMETIC,
)
def value_counts_are_exact(case: Case) -> Iterator[Deviation]:
    """UNSOUND if the stored count equals the null or NaN count although other values exist: readers skip the file."""
    yield from _counts(case, "value_count", _all_null_or_all_nan, required=True)


@claim(
    "null counts are the number of nulls of the column",
    needs=NULLS_COUNTED,
    spec=rules.NULL_COUNTS,
    breaks=Verdict.COSMETIC,
)
def null_counts_are_exact(case: Case) -> Iterator[Deviation]:
    """UNSOUND if it makes a reader skip: all nulls stored and values exist, or no nulls stored and some exist."""
    yield from _counts(case, "null_count", partial(_all_or_none, "null_count"), required=True)


@claim(
    "NaN counts, where there are any, are the number of NaNs of the column",
    needs=NANS_COUNTED,
    spec=rules.NAN_COUNTS,
    breaks=Verdict.COSMETIC,
)
def nan_counts_are_exact(case: Case) -> Iterator[Deviation]:
    """UNSOUND if it makes a reader skip: all NaN stored and numbers exist, or no NaN stored and some exist."""
    yield from _counts(case, "nan_count", partial(_all_or_none, "nan_count"), required=False)


Skips = Callable[[pa.Table, pa.Table], pa.ChunkedArray]
"""Marks files that a reader skips by the stored counts of a column though the actual ones forbid it."""


def _all_null_or_all_nan(stored: pa.Table, true: pa.Table) -> pa.ChunkedArray:
    return pc.or_kleene(_falsely_all("null_count", stored, true), _falsely_all("nan_count", stored, true))


def _all_or_none(count: str, stored: pa.Table, true: pa.Table) -> pa.ChunkedArray:
    none = pc.and_(pc.equal(stored[count], 0), pc.greater(true[count], 0))
    return pc.or_kleene(_falsely_all(count, stored, true), none)


def _falsely_all(count: str, stored: pa.Table, true: pa.Table) -> pa.ChunkedArray:
    """Marks files whose stored counts say that every value is null, or NaN, although some are not."""
    return pc.and_(pc.equal(stored[count], stored["value_count"]), pc.less(true[count], true["value_count"]))


def _counts(case: Case, name: str, skips: Skips, *, required: bool) -> Iterator[Deviation]:
    """Deviations of one count of each column; UNSOUND for the files that `skips` marks."""
    for column, metrics in case.stored.columns.items():
        actual = case.actual.columns[column]
        wrong = pc.not_equal(metrics[name], actual[name]).fill_null(False)
        if required and metrics[name].null_count:
            wrong = pc.or_(wrong, _uncounted(case, column, metrics[name], actual[name]))
        if pc.any(wrong).as_py():  # few columns have a wrong count, and what follows takes ten times as long
            yield from _wrong_counts(case, column, name, wrong, skips(metrics, actual).fill_null(False), required)


def _uncounted(case: Case, column: str, stored: pa.ChunkedArray, true: pa.ChunkedArray) -> pa.ChunkedArray:
    """Marks files without a stored count that should have one. Writers do not count columns that are added later."""
    optional = case.stored.optional
    free = optional.over(optional.counts, column, case.stored.files.num_rows)
    held = pa.chunked_array([pc.and_not(case.actual.held[column], pa.array(free))])
    return pc.and_(pc.is_null(stored), pc.and_(held, pc.is_valid(true)))


def _wrong_counts(
    case: Case, column: str, name: str, wrong: pa.ChunkedArray, skips: pa.ChunkedArray, required: bool
) -> Iterator[Deviation]:
    stored, true = case.stored.columns[column][name], case.actual.columns[column][name]
    if required:
        optional = case.stored.optional
        wide = optional.over(optional.wide, column, case.stored.files.num_rows)
        wrong = pc.and_(wrong, pc.or_(skips, pa.chunked_array([pa.array(~wide)])))
    for mask, verdict in ((pc.and_(wrong, skips), Verdict.UNSOUND), (pc.and_not(wrong, skips), None)):
        yield from deviation(
            mask,
            saw=lambda i: f"{case.rules.term(name)} {show(stored[i])} for {file_name(case, i)}",
            expected=lambda i: f"{true[i]}, counted in its values",
            column=column,
            verdict=verdict,
            absent=partial(pc.is_null, stored),
        )

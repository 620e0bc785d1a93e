"""Counts in Hudi's indexes. Hudi skips files by them: IS NULL keeps `nulls > 0`, IS NOT NULL keeps `nulls < values`.

Source: DataSkippingUtils. Hudi removes null filters before it uses partition stats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.formats.hudi.claims.deviation import HudiDeviation
from xtable_audit.formats.hudi.claims.records import KINDS, IndexedColumn, claim_on_records, recorded, true
from xtable_audit.formats.hudi.index import COLUMN_STATISTICS
from xtable_audit.formats.hudi.indexed_table import HudiCase
from xtable_audit.model.finding import Verdict
from xtable_audit.model.scalars import Mask, show

SPEC = "HoodieMetadataColumnStats, nullCount and valueCount (nulls are values here)"


@claim_on_records("null counts are the nulls of their file or partition", spec=SPEC, breaks=Verdict.COSMETIC)
def null_counts_are_right(case: HudiCase) -> Iterator[HudiDeviation]:
    """UNSOUND if they make Hudi skip a file that matches IS NULL or IS NOT NULL."""
    for column in recorded(case, *KINDS):
        yield from _deviations(column, _wrong(column, "null_count"), _misled(column), _share, "null")


@claim_on_records("value counts are the rows of their file or partition", spec=SPEC, breaks=Verdict.COSMETIC)
def value_counts_are_right(case: HudiCase) -> Iterator[HudiDeviation]:
    """UNSOUND if they alone make Hudi skip a file that matches IS NOT NULL."""
    for column in recorded(case, *KINDS):
        misled = _misled(column) & ~_wrong(column, "null_count")
        yield from _deviations(column, _wrong(column, "value_count"), misled, _total, "values")


def _deviations(
    column: IndexedColumn, wrong: Mask, misled: Mask, counted: Callable[[pa.Table, int], str], things: str
) -> Iterator[HudiDeviation]:
    stored, actual = column.stored, column.actual
    for mask, verdict in ((wrong & misled, Verdict.UNSOUND), (wrong & ~misled, None)):
        yield from column.deviations(
            mask, lambda i: f"{counted(stored, i)} {things} in", lambda i: counted(actual, i), verdict
        )


def _share(metrics: pa.Table, place: int) -> str:
    return f"{show(metrics['null_count'][place])} of {_total(metrics, place)}"


def _total(metrics: pa.Table, place: int) -> str:
    return show(metrics["value_count"][place])


def _wrong(column: IndexedColumn, count: str) -> Mask:
    return ~true(pc.equal(column.stored[count], column.actual[count]))


def _misled(column: IndexedColumn) -> Mask:
    """Marks counts that make Hudi skip a matching file. An unknown count makes it skip too."""
    stored, actual = column.stored, column.actual
    nulls = true(pc.greater(actual["null_count"], 0)) & ~true(pc.greater(stored["null_count"], 0))
    has_values = true(pc.less(actual["null_count"], actual["value_count"]))
    values = has_values & ~true(pc.less(stored["null_count"], stored["value_count"]))
    return (nulls | values) & (column.index.kind == COLUMN_STATISTICS)

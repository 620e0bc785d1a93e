"""Counts in Hudi's indexes. Hudi skips files by them: IS NULL keeps `nulls > 0`, IS NOT NULL keeps `nulls < values`.

Source: DataSkippingUtils. Hudi removes null filters before it uses partition stats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.claims.hudi.index_walk import KINDS, IndexAtStage, Mask, claim_on_records, recorded, true
from xtable_audit.hudi.actual_values import COLUMN_STATISTICS
from xtable_audit.hudi.case import HudiCase
from xtable_audit.hudi.deviation import Deviation
from xtable_audit.model.finding import Verdict
from xtable_audit.model.scalars import show

SPEC = "HoodieMetadataColumnStats, nullCount and valueCount (nulls are values here)"


@claim_on_records("null counts are the nulls of their file or partition", spec=SPEC, breaks=Verdict.COSMETIC)
def null_counts_are_right(case: HudiCase) -> Iterator[Deviation]:
    """UNSOUND if they make Hudi skip a file that matches IS NULL or IS NOT NULL."""
    for place, column, said in recorded(case, *KINDS):
        yield from _deviations(place, column, said, _wrong_nulls(said), partial(_shares, said))


@claim_on_records("value counts are the rows of their file or partition", spec=SPEC, breaks=Verdict.COSMETIC)
def value_counts_are_right(case: HudiCase) -> Iterator[Deviation]:
    """UNSOUND if they alone make Hudi skip a file that matches IS NOT NULL."""
    for place, column, said in recorded(case, *KINDS):
        wrong = ~true(pc.equal(said["said_values"], said["rows"]))
        yield from _deviations(place, column, said, wrong, partial(_totals, said), unless=_wrong_nulls(said))


Words = Callable[[int], tuple[str, str]]
"""What is seen and what is expected at an index of the records."""


def _deviations(
    place: IndexAtStage, column: str, said: pa.Table, wrong: Mask, words: Words, unless: Mask | bool = False
) -> Iterator[Deviation]:
    misled = wrong & _misled(place, said) & ~np.asarray(unless)
    for mask, verdict in ((misled, Verdict.UNSOUND), (wrong & ~misled, None)):
        yield from place.deviation(
            said["of"].to_pylist(), mask, lambda i: words(i)[0], lambda i: words(i)[1], column, verdict
        )


def _wrong_nulls(said: pa.Table) -> Mask:
    return ~true(pc.equal(said["said_nulls"], said["nulls"]))


def _misled(place: IndexAtStage, said: pa.Table) -> Mask:
    """Marks counts that make Hudi skip a matching file. An unknown count makes it skip too."""
    if place.kind != COLUMN_STATISTICS:
        return np.zeros(said.num_rows, dtype=bool)
    nulls = true(pc.greater(said["nulls"], 0)) & ~true(pc.greater(said["said_nulls"], 0))
    values = true(pc.less(said["nulls"], said["rows"])) & ~true(pc.less(said["said_nulls"], said["said_values"]))
    return nulls | values


def _shares(said: pa.Table, i: int) -> tuple[str, str]:
    saw = f"{show(said['said_nulls'][i].as_py())} of {show(said['said_values'][i].as_py())} null in"
    return saw, f"{said['nulls'][i]} of {said['rows'][i]}"


def _totals(said: pa.Table, i: int) -> tuple[str, str]:
    return f"{show(said['said_values'][i].as_py())} values in", f"{said['rows'][i]}"

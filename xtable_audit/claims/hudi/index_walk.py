"""Claims on the index records of every stage of a table: iteration over them, and deviations of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from xtable_audit.hudi.actual_values import COLUMN_STATISTICS, PARTITION_STATISTICS, Kind
from xtable_audit.hudi.case import HudiCase, HudiStage, partition_of
from xtable_audit.hudi.deviation import WROTE_IT, Deviation, HudiClaim
from xtable_audit.hudi.index import is_column, recorded_columns, statistics
from xtable_audit.hudi.needs import RECORDS
from xtable_audit.model.claim import claim
from xtable_audit.model.finding import Verdict
from xtable_audit.model.malformed import Malformed

KINDS = (PARTITION_STATISTICS, COLUMN_STATISTICS)
Mask = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True)
class IndexAtStage:
    """One index of the table at one stage."""

    number: int
    stage: HudiStage
    kind: Kind

    @property
    def words(self) -> str:
        return f"after {self.stage.words}"

    def name(self, of: str) -> str:
        """A file or a partition as a finding prints it."""
        if self.kind == PARTITION_STATISTICS:
            return f"partition {of!r}"
        return of.rpartition("/")[2]

    def files(self, of: list[str]) -> frozenset[str]:
        """The live files that these records cover."""
        named = frozenset(of)
        if self.kind == COLUMN_STATISTICS:
            return named & self.stage.files
        return frozenset(file for file in self.stage.files if partition_of(file) in named)

    def deviation(
        self,
        of: list[str],
        wrong: Mask,
        saw: Callable[[int], str],
        expected: Callable[[int], str],
        column: str,
        verdict: Verdict | None = None,
    ) -> Iterator[Deviation]:
        """One deviation for all places where `wrong` is true, with the first as example; none if there are none.

        The name of the place follows `saw`.
        """
        places = np.flatnonzero(wrong)
        if len(places):
            first = int(places[0])
            told = f"{saw(first)} {self.name(of[first])} {self.words}{_alike(len(places), self.kind)}"
            files = self.files([of[int(place)] for place in places])
            yield Deviation(told, expected(first), files, self.number, column, verdict)


def claim_on_records(
    sentence: str, *, spec: str, breaks: Verdict
) -> Callable[[Callable[[HudiCase], Iterator[Deviation]]], HudiClaim]:
    """A claim about the records that Hudi wrote into its indexes."""
    return claim(sentence, needs=RECORDS, spec=spec, breaks=breaks, blame=WROTE_IT)


def indexes(case: HudiCase, *kinds: Kind) -> Iterator[IndexAtStage]:
    """The indexes of these kinds at every stage whose table lists them.

    Leaves out column stats of tables with log files: log files have their own records, and neither these nor those of
    the base file describe the merged rows.
    """
    for kind in kinds:
        for number, stage in enumerate(case.stages):
            if kind in stage.indexed and not (kind == COLUMN_STATISTICS and stage.has_logs):
                yield IndexAtStage(number, stage, kind)


def recorded(case: HudiCase, *kinds: Kind) -> Iterator[tuple[IndexAtStage, str, pa.Table]]:
    """The indexes' records, column by column, as `xtable_audit.hudi.index.statistics`.

    Leaves out columns that the table lacks or whose bounds cannot be read: other claims report them.
    """
    for place in indexes(case, *kinds):
        for column in recorded_columns(place.stage, place.kind):
            if not is_column(place.stage, column):
                continue
            try:
                yield place, column, statistics(place.stage, place.kind, column)
            except Malformed:
                continue


def true(condition: Any) -> Mask:
    """The condition as a mask, with null as false."""
    mask: Mask = np.asarray(condition.fill_null(False))
    return mask


def _alike(count: int, kind: Kind) -> str:
    things = "partitions" if kind == PARTITION_STATISTICS else "files"
    return f" ({count} {things} alike)" if count > 1 else ""

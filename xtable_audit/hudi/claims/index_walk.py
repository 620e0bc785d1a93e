"""Walks over the stages of a table, and deviations of the records on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from xtable_audit.hudi.actual_values import COLUMN_STATISTICS, PARTITION_STATISTICS, Kind
from xtable_audit.hudi.case import HudiCase, HudiStage, partition_of
from xtable_audit.hudi.deviation import Deviation
from xtable_audit.hudi.index import is_column, recorded_columns, statistics
from xtable_audit.model.finding import Verdict
from xtable_audit.model.malformed import Malformed

KINDS = (PARTITION_STATISTICS, COLUMN_STATISTICS)
Mask = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True)
class Place:
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
        """The live files of these records."""
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
        """One for the places where `wrong` is true, none where there are none. `saw` ends in the place's name."""
        places = np.flatnonzero(wrong)
        if len(places):
            first = int(places[0])
            told = f"{saw(first)} {self.name(of[first])} {self.words}{_alike(len(places), self.kind)}"
            files = self.files([of[int(place)] for place in places])
            yield Deviation(told, expected(first), files, self.number, column, verdict)


def indexes(case: HudiCase, kind: Kind) -> Iterator[Place]:
    """The index at every stage at which the table says that it has it.

    Not column statistics where updates lie in logs: a log has records of its own, and neither they nor those of the
    base file stand for the rows as they are shown.
    """
    for number, stage in enumerate(case.stages):
        if kind in stage.indexed and not (kind == COLUMN_STATISTICS and stage.has_logs):
            yield Place(number, stage, kind)


def recorded(case: HudiCase, kind: Kind) -> Iterator[tuple[Place, str, pa.Table]]:
    """Its records, column by column, as `xtable_audit.hudi.index.statistics`.

    Without columns whose bounds cannot be read, and those that the table does not have: claims of their own tell them.
    """
    for place in indexes(case, kind):
        for column in recorded_columns(place.stage, kind):
            if not is_column(place.stage, column):
                continue
            try:
                yield place, column, statistics(place.stage, kind, column)
            except Malformed:
                continue


def true(condition: Any) -> Mask:
    """Null counts as false."""
    mask: Mask = np.asarray(condition.fill_null(False))
    return mask


def _alike(count: int, kind: Kind) -> str:
    things = "partitions" if kind == PARTITION_STATISTICS else "files"
    return f" ({count} {things} alike)" if count > 1 else ""

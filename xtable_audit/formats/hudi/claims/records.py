"""Claims about the records of Hudi's indexes, after every event of a table's history."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np
import pyarrow as pa

from xtable_audit.formats.hudi.claims.deviation import WROTE_IT, HudiClaim, HudiDeviation, in_files, view
from xtable_audit.formats.hudi.index import COLUMN_STATISTICS, PARTITION_STATISTICS, Kind
from xtable_audit.formats.hudi.indexed_table import HudiCase, HudiStage, partition_of
from xtable_audit.model.claim import Need, claim
from xtable_audit.model.finding import Verdict
from xtable_audit.model.scalars import Mask
from xtable_audit.subject.case import Case

KINDS = (PARTITION_STATISTICS, COLUMN_STATISTICS)
RECORDS = Need[HudiCase](
    "a record in Hudi's indexes",
    lambda case: sum(kind in stage.indexed for stage in case.stages for kind in stage.index["kind"].to_pylist()),
)
Words = Callable[[int], str]


@dataclass(frozen=True)
class IndexAtStage:
    """One index of the table after one event."""

    table: HudiCase
    number: int
    kind: Kind

    @property
    def stage(self) -> HudiStage:
        return self.table.stages[self.number]

    @property
    def case(self) -> Case:
        return view(self.stage, self.kind)

    def deviations(
        self, column: str, wrong: Mask, saw: Words, expected: Words, verdict: Verdict | None = None
    ) -> Iterator[HudiDeviation]:
        """One for all places where `wrong` is true, with the first as example; none if there are none.

        The name of the place follows `saw`.
        """
        if names := list(compress(self.stage.live(self.kind), wrong)):
            first = int(np.argmax(wrong))
            yield self.deviation(names, saw(first), expected(first), column, verdict)

    def deviation(
        self, of: list[str], saw: str, expected: str, column: str, verdict: Verdict | None = None
    ) -> HudiDeviation:
        """Of the records of these files or partitions, live or not."""
        if self.kind == PARTITION_STATISTICS:
            name, things = f"partition {of[0]!r}", "partitions"
            files = {file for file in self.stage.files if partition_of(file) in of}
        else:
            name, things, files = of[0].rpartition("/")[2], "files", set(of)
        alike = f" ({len(of)} {things} alike)" if len(of) > 1 else ""
        words = f"{saw} {name} after {self.stage.words}{alike}"
        return in_files(self.table, files, words, expected, stage=self.number, column=column, verdict=verdict)


@dataclass(frozen=True)
class IndexedColumn:
    """One column of it."""

    index: IndexAtStage
    name: str

    @property
    def stored(self) -> pa.Table:
        """As `index.stored_metrics`."""
        return self.index.case.stored.columns[self.name]

    @property
    def actual(self) -> pa.Table:
        return self.index.case.actual.columns[self.name]

    def deviations(
        self, wrong: Mask, saw: Words, expected: Words, verdict: Verdict | None = None
    ) -> Iterator[HudiDeviation]:
        """Of the places that have a record."""
        return self.index.deviations(self.name, wrong & true(self.stored["recorded"]), saw, expected, verdict)


def claim_on_records(
    sentence: str, *, spec: str, breaks: Verdict
) -> Callable[[Callable[[HudiCase], Iterator[HudiDeviation]]], HudiClaim]:
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
                yield IndexAtStage(case, number, kind)


def recorded(case: HudiCase, *kinds: Kind) -> Iterator[IndexedColumn]:
    """The indexes' columns. Leaves out those with a bound that is no value of their type: a claim reports them."""
    for index in indexes(case, *kinds):
        stored = index.case.stored
        yield from (IndexedColumn(index, column) for column in stored.columns if column not in stored.undecodable)


def true(condition: Any) -> Mask:
    """The condition as a mask, with null as false."""
    mask: Mask = np.asarray(condition.fill_null(False))
    return mask

"""Hudi's indexes as stored metrics, where a claim about its skipping breaks by them, and the finding of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.claims.deviation import Deviation, other_columns
from xtable_audit.formats.hudi.index import COLUMN_STATISTICS, Kind, stored_metrics
from xtable_audit.formats.hudi.indexed_table import HudiCase, HudiStage, actual_metrics, column_values
from xtable_audit.model.claim import Claim
from xtable_audit.model.finding import Blame, Finding, Verdict, worst
from xtable_audit.model.scalars import Mask
from xtable_audit.model.target_rules import Side, TargetRules
from xtable_audit.planning.pruning_trial import Loss, example
from xtable_audit.subject.case import UNKNOWN_SOURCE, Case
from xtable_audit.table.plain_table import PlainTable, files_table
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.values.measured_rows import ActualMetrics


class WholeBounds(TargetRules):
    """Hudi cuts no bound."""

    def are_truncated(self, bounds: pa.ChunkedArray, values: pa.ChunkedArray, side: Side) -> Mask:
        return np.zeros(len(bounds), dtype=bool)


HUDI_RULES = WholeBounds("hudi")


@lru_cache(maxsize=1024)
def view(stage: HudiStage, kind: Kind) -> Case:
    """The index, with the columns that the table has and that have a record; as `index.stored_metrics`."""
    stored, actual, undecodable = {}, {}, {}
    live = pa.array(stage.live(kind), pa.string())
    for column in recorded_columns(stage, kind):
        if column_values(stage, column) is not None:
            actual[column], records = actual_metrics(stage, kind, column), records_of(stage, kind, column)
            records = records.take(pc.index_in(live, records["of"].combine_chunks()))
            stored[column], why = stored_metrics(records, actual[column]["min"].type)
            if why.null_count < len(why):
                undecodable[column] = why
    rows = {one["values"]: one["counts"] for one in stage.of_rows(kind).value_counts().to_pylist()}
    listed = live.to_pylist()
    files = files_table(stage.words, listed, [None] * len(listed), [rows.get(one, 0) for one in listed])
    table = PlainTable(HUDI_RULES, stage.values.schema)
    metrics = StoredMetrics(stage.words, table, table.leaves, files, (), stored, 0, undecodable=undecodable)
    return Case(stage.words, metrics, ActualMetrics(files, actual), UNKNOWN_SOURCE)


def recorded_columns(stage: HudiStage, kind: Kind) -> list[str]:
    """The columns with records in an index of the stage, sorted; empty if the table lacks the index."""
    if kind not in stage.indexed:
        return []
    return sorted(stage.index.filter(pc.equal(stage.index["kind"], kind))["column"].unique().to_pylist())


def records_of(stage: HudiStage, kind: Kind, column: str) -> pa.Table:
    """The records of one column, also of what is not live."""
    return stage.index.filter((pc.field("kind") == kind) & (pc.field("column") == column))


@dataclass(frozen=True)
class LostRows(Loss):
    """A question for which Hudi's reader loses rows, whichever files it plans."""

    counted: int | None
    """Rows that the reader counts."""
    where: ClassVar[str] = "found by Hudi"

    @property
    def found(self) -> int:
        return self.counted or 0

    @property
    def rows(self) -> int:
        return self.question.rows - self.found


@dataclass(frozen=True)
class HudiDeviation(Deviation):
    """`places` are those of `HudiStage.live` files."""

    stage: int = -1
    """Index into the case's stages; the newest for a query."""
    loss: LostRows | None = None


HudiClaim = Claim[HudiCase, HudiDeviation]
"""One sentence that Hudi's reader, or another user of Hudi's indexes, relies on."""

WROTE_IT = (Blame.HUDI, "Hudi wrote it into its own index")
READ_IT = (Blame.HUDI, "Hudi's own reader does it on Hudi's own table")


def in_files(
    case: HudiCase,
    files: Iterable[str],
    saw: str,
    expected: str,
    *,
    stage: int = -1,
    column: str | None = None,
    verdict: Verdict | None = None,
    loss: LostRows | None = None,
) -> HudiDeviation:
    """A deviation in these files of the stage, as far as they are live."""
    concerned = frozenset(files)
    live = case.stages[stage].live(COLUMN_STATISTICS)
    places = tuple(place for place, file in enumerate(live) if file in concerned)
    return HudiDeviation(places, saw, expected, column, verdict, stage=stage, loss=loss)


READER = "hudi"


def build_finding(
    claim: Claim[Any, HudiDeviation], case: HudiCase, found: list[HudiDeviation], ruling: tuple[Blame, str]
) -> Finding:
    """The finding for these deviations. It describes the worst one and counts the others.

    The impact refers to the stage of the worst one.
    """
    verdict = worst([d.verdict or claim.breaks for d in found])
    alike = [d for d in found if (d.verdict or claim.breaks) == verdict]
    losses = [d.loss for d in alike if d.loss is not None]
    clearest = example(losses) if losses else None
    first = next(d for d in alike if d.loss is clearest)
    stage = case.stages[first.stage]
    impact = view(stage, COLUMN_STATISTICS).impact(
        {place for d in found if case.stages[d.stage] is stage for place in d.places}
    )
    lost = max((loss.rows for loss in losses), default=0)
    tried = claim.needs[0].count(case) if losses else 0
    return Finding(
        claim.id,
        claim.sentence,
        verdict,
        case.id,
        first.saw + _others(claim, case, found, first),
        first.expected,
        replace(impact, tried=tried, losing=len(losses), lost=lost),
        *ruling,
        column=first.column,
        columns=tuple(sorted({d.column for d in found if d.column})),
        reader=READER if claim.asks else None,
        versions={"hudi": case.release},
        example=str(clearest) if clearest else "",
    )


def _others(
    claim: Claim[Any, HudiDeviation], case: HudiCase, found: Sequence[HudiDeviation], first: HudiDeviation
) -> str:
    if claim.asks:
        return f" (one of {len(found):,} such answers)" if len(found) > 1 else ""
    stages = {id(case.stages[d.stage]) for d in found} - {id(case.stages[first.stage])}
    return other_columns(found, first) + (f"; also after {len(stages)} other events" if stages else "")

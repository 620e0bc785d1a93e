"""Turns a claim's deviations on a Hudi table into a finding, as `table_findings` does for Iceberg."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.blame.ruling import Ruling
from xtable_audit.hudi.case import FILE, HudiCase, HudiStage
from xtable_audit.hudi.deviation import Deviation, Loss
from xtable_audit.model.claim import Claim
from xtable_audit.model.figures import many
from xtable_audit.model.finding import Finding, Impact, worst
from xtable_audit.model.predicate import Compare
from xtable_audit.planning.pruning_trial import READABLE

READER = "hudi"


def build_finding(claim: Claim[Any, Deviation], case: HudiCase, found: list[Deviation], ruling: Ruling) -> Finding:
    """The finding for these deviations. It describes the worst one and counts the others.

    The impact refers to the stage of the worst one.
    """
    blame, because = ruling
    verdict = worst([d.verdict or claim.breaks for d in found])
    alike = [d for d in found if (d.verdict or claim.breaks) == verdict]
    losses = [d.loss for d in alike if d.loss is not None]
    worst_loss = example(losses) if losses else None
    first = next((d for d in alike if d.loss is worst_loss), alike[0]) if worst_loss else alike[0]
    return Finding(
        claim=claim.id,
        sentence=claim.sentence,
        verdict=verdict,
        table=case.id,
        saw=first.saw + _others(claim, case, found, first),
        expected=first.expected,
        impact=_impact(claim, case, found, first, losses),
        blame=blame,
        because=because,
        column=first.column,
        columns=tuple(sorted({d.column for d in found if d.column})),
        reader=READER if claim.asks else None,
        versions={"hudi": case.release},
        example=_in_words(worst_loss) if worst_loss else "",
    )


def example(losses: Sequence[Loss]) -> Loss:
    """The clearest loss: short, with all its rows lost, preferably an equality. As `pruning_trial.example`."""

    def cost(loss: Loss) -> tuple[bool, float, bool, int]:
        equality = isinstance(loss.predicate, Compare) and loss.predicate.operator == "="
        written = len(str(loss.predicate))
        return written > READABLE, (loss.found or 0) / loss.actual, not equality, written

    return min(losses, key=cost)


def _in_words(loss: Loss) -> str:
    actual = many(loss.actual, "row")
    return f"WHERE {loss.predicate}: {actual} by the values, {loss.found or 0:,} found by Hudi"


def _impact(
    claim: Claim[Any, Deviation], case: HudiCase, found: Sequence[Deviation], first: Deviation, losses: Sequence[Loss]
) -> Impact:
    stage = case.stages[first.stage]
    touched = frozenset[str]().union(*(d.files for d in found if case.stages[d.stage] is stage))
    return Impact(
        files=len(touched),
        files_total=len(stage.files),
        rows=_rows(stage, touched),
        rows_total=stage.values.num_rows,
        tried=claim.needs[0].count(case) if losses else 0,
        losing=len(losses),
        lost=max((loss.rows for loss in losses), default=0),
    )


def _rows(stage: HudiStage, files: frozenset[str]) -> int:
    inside = pc.is_in(stage.values[FILE], pa.array(sorted(files), pa.string()))
    return pc.sum(inside).as_py() or 0


def _others(claim: Claim[Any, Deviation], case: HudiCase, found: Sequence[Deviation], first: Deviation) -> str:
    if claim.asks:
        return f" (one of {len(found):,} such answers)" if len(found) > 1 else ""
    columns = sorted({d.column for d in found if d.column} - {first.column})
    stages = {id(case.stages[d.stage]) for d in found} - {id(case.stages[first.stage])}
    listed = ", ".join(columns[:5]) + (" …" if len(columns) > 5 else "")
    words = f"; also in {many(len(columns), 'other column')}: {listed}" if columns else ""
    return words + (f"; also after {len(stages)} other events" if stages else "")

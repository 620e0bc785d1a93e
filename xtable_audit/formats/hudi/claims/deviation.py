"""Where a claim about Hudi's own skipping breaks, and the finding of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from xtable_audit.claims.deviation import Deviation, other_columns
from xtable_audit.formats.hudi.claims.index_view import view
from xtable_audit.formats.hudi.index import COLUMN_STATISTICS
from xtable_audit.formats.hudi.indexed_table import HudiCase
from xtable_audit.model.claim import Claim
from xtable_audit.model.finding import Blame, Finding, Verdict, worst
from xtable_audit.planning.pruning_trial import Loss, example


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

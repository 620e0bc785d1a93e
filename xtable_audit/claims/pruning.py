"""A grid of predicates on every column, put to planners: no file with a matching row is dropped, and planners agree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xtable_audit.metadata.stored_metrics import StoredMetrics
from xtable_audit.model.claim import Claim, Need, claim
from xtable_audit.model.finding import Verdict
from xtable_audit.planning.planners import trap
from xtable_audit.planning.pruning_trial import Loss, Question, Trial

SCAN = "Iceberg spec, Scan Planning"


@dataclass(frozen=True)
class Difference:
    """A question for which a planner and the judge's own keep different files."""

    planner: str
    question: Question
    more: frozenset[str]
    """Kept by the planner alone."""
    fewer: frozenset[str]
    """Kept by the judge alone."""


@dataclass(frozen=True)
class Agreement:
    """One table's grid, put to the judge's own planner and to others."""

    stored: StoredMetrics
    judged: Trial
    others: tuple[Trial, ...]


PlannerClaim = Claim[Trial, Loss]
AgreementClaim = Claim[Agreement, Difference]

PLANS = Need[Trial]("a predicate that the planner can plan", lambda trial: trial.asked)
OTHER_PLANS = Need[Agreement](
    "a predicate that another planner can plan", lambda agreement: sum(trial.asked for trial in agreement.others)
)


@claim("no file that holds a matching row is dropped", needs=PLANS, spec=SCAN, breaks=Verdict.UNSOUND)
def no_matching_file_is_dropped(trial: Trial) -> Iterator[Loss]:
    """Whatever the predicate."""
    yield from trial.losses


@claim("planners keep the same files", needs=OTHER_PLANS, spec=SCAN, breaks=Verdict.UNSOUND)
def planners_agree(agreement: Agreement) -> Iterator[Difference]:
    """But where a planner is known to differ. One that drops a matching file that the judge keeps is UNSOUND, one that
    keeps more than the metadata asks for LOOSE, one that keeps less, and loses nothing by it, COSMETIC: it sees
    something in the metadata that the judge does not.
    """
    for trial in agreement.others:
        for question, ours, theirs in zip(agreement.judged.questions, agreement.judged.kept, trial.kept, strict=True):
            if ours is None or theirs is None or ours == theirs:
                continue
            if not trap(trial.planner, agreement.stored, question.predicate):
                yield Difference(trial.planner, question, theirs - ours, ours - theirs)

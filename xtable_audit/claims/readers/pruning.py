"""Planners on a grid of predicates over every column: they drop no matching file, and they agree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xtable_audit.model import rules
from xtable_audit.model.claim import Claim, Need, claim
from xtable_audit.model.finding import Verdict
from xtable_audit.planning.planners import trap
from xtable_audit.planning.pruning_trial import Loss, Question, Trial
from xtable_audit.table.stored_metrics import StoredMetrics

SCAN = rules.SCAN


@dataclass(frozen=True)
class PlannerDifference:
    """A question for which a planner and the judge's own planner keep different files."""

    planner: str
    question: Question
    more: frozenset[str]
    """Files that only the planner keeps."""
    fewer: frozenset[str]
    """Files that only the judge keeps."""


@dataclass(frozen=True)
class Agreement:
    """Trials of one table's grid by the judge's own planner and by others."""

    stored: StoredMetrics
    judged: Trial
    others: tuple[Trial, ...]


PlannerClaim = Claim[Trial, Loss]
AgreementClaim = Claim[Agreement, PlannerDifference]

PLANS = Need[Trial]("a predicate that the planner can plan", lambda trial: trial.plannable)
OTHER_PLANS = Need[Agreement](
    "a predicate that another planner can plan", lambda agreement: sum(trial.plannable for trial in agreement.others)
)


@claim("no file that holds a matching row is dropped", needs=PLANS, spec=SCAN, breaks=Verdict.UNSOUND)
def no_matching_file_is_dropped(trial: Trial) -> Iterator[Loss]:
    """For every predicate of the grid."""
    yield from trial.losses


@claim("planners keep the same files", needs=OTHER_PLANS, spec=SCAN, breaks=Verdict.UNSOUND)
def planners_agree(agreement: Agreement) -> Iterator[PlannerDifference]:
    """Except for known traps. UNSOUND if a planner drops a matching file that the judge keeps, LOOSE if it keeps more
    files than the judge. COSMETIC if it keeps fewer and loses nothing: it prunes by metadata that the judge ignores.
    """
    for trial in agreement.others:
        for question, ours, theirs in zip(agreement.judged.questions, agreement.judged.kept, trial.kept, strict=True):
            if ours is None or theirs is None or ours == theirs:
                continue
            if not trap(trial.planner, agreement.stored, question.predicate):
                yield PlannerDifference(trial.planner, question, frozenset(theirs - ours), frozenset(ours - theirs))

"""One claim on one subject: needs, deviations, finding, blame, register, outcome."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from xtable_audit.blame.ruling import Ruling
from xtable_audit.claims.needs import OF_SOURCE
from xtable_audit.model.cause import Cause
from xtable_audit.model.claim import Claim, Need
from xtable_audit.model.finding import Finding
from xtable_audit.model.outcome import Outcome

S = TypeVar("S")
D = TypeVar("D")

Describe = Callable[[list[D], Ruling], Finding]
"""Makes the finding of deviations, by their ruling."""
Whose = Ruling | Callable[[list[D]], Ruling]
"""The ruling on deviations, or what decides it once there are some."""
Finish = Callable[[Finding, Sequence[D]], Finding]
"""Completes a finding: recognises its cause in the register, and says how to see it again and what mends it."""


@dataclass(frozen=True)
class Judgement:
    """The outcome of one claim on one subject."""

    outcome: Outcome
    reason: str = ""
    """Why nothing is compared; "" if something is."""
    why: str = ""
    """Why the need is unmet for which nothing is compared; "" if the need's own words say enough."""
    cause: Cause | None = None
    """What keeps the claim from being judged, if anything depends on it."""
    finding: Finding | None = None
    """Present if the claim fails."""
    waits: bool = False
    """Whether nothing is compared because part of the subject is not read yet."""

    @classmethod
    def not_applicable(cls, reason: str) -> Judgement:
        return cls(Outcome.NOT_APPLICABLE, reason)

    @classmethod
    def inconclusive(cls, reason: str) -> Judgement:
        return cls(Outcome.INCONCLUSIVE, reason)


def judge(
    claim: Claim[S, D],
    subject: S,
    describe: Describe[D],
    whose: Whose[D] | None = None,
    *,
    left: Callable[[list[D]], list[D]] | None = None,
    finish: Finish[D] | None = None,
) -> Judgement:
    """Judges the claim on the subject.

    `left` returns the deviations that count: without those that a table's configuration or its user excuses. `whose` is
    asked unless the claim itself says whose fault each deviation is.
    """
    lacking = claim.lacks(subject)
    if lacking is not None:
        return _not_compared(lacking, subject)
    found = claim.deviations(subject)
    if left is not None:
        found = left(found)
    if not found:
        return Judgement(Outcome.HELD)
    ruling = claim.blame or (whose(found) if callable(whose) else whose)
    assert ruling is not None, f"{claim.id} does not say whose fault it is"
    finding = describe(found, ruling)
    if finish is not None:
        finding = finish(finding, found)
    return Judgement(Outcome.KNOWN if finding.registered else Outcome.FINDING, finding=finding)


def _not_compared(lacking: Need[S], subject: S) -> Judgement:
    """Inconclusive if the run lacks the need or does not read it, or if the state of the source that a user names is
    unknown.
    """
    if lacking.waits(subject):
        return Judgement(Outcome.INCONCLUSIVE, f"the claim needs {lacking.words}, which is not read", waits=True)
    why = lacking.why(subject)
    reason = f"the claim needs {lacking.words}" + (f": {why}" if why else "")
    if why and lacking in OF_SOURCE:
        return Judgement(Outcome.INCONCLUSIVE, reason, why, Cause.NOT_COMPARED)
    return Judgement(Outcome.INCONCLUSIVE if lacking.of_run else Outcome.NOT_APPLICABLE, reason, why)

"""The outcome of each claim in one run, by its audit.json, in a form that compares with other runs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from xtable_audit.model.finding import Finding
from xtable_audit.model.fingerprint import shape, steady
from xtable_audit.model.outcome import Cause, Outcome
from xtable_audit.model.result import REFUSES
from xtable_audit.report.document import Document


class How(StrEnum):
    HELD = "held"
    FOUND = "found"
    NOTHING = "nothing"
    """Not judged: the table has nothing that the claim compares."""
    REFUSED = "refused"
    """Not judged, because a finding reports that the table cannot be read."""
    UNKNOWN = "unknown"


JUDGED = (How.HELD, How.FOUND)
"""The claim compared something."""
NO_TABLE = "the table cannot be read"


@dataclass(frozen=True)
class ClaimState:
    """The outcome of one claim in one run."""

    how: How
    finding: Finding | None = None
    why: str = ""


class ClaimStates:
    """The claims of one run, by test id."""

    def __init__(self, name: str, document: Document) -> None:
        self.name = name
        self.claims = {claim.test: claim for claim in document.claims}
        self._release = document.translation.release

    def state(self, test: str) -> ClaimState:
        claim = self.claims.get(test)
        if claim is None:
            return ClaimState(How.UNKNOWN, why=f"{self.name}: it was not run")
        match claim.outcome:
            case Outcome.FINDING | Outcome.KNOWN if claim.follows:
                return ClaimState(How.REFUSED, why=NO_TABLE)
            case Outcome.FINDING | Outcome.KNOWN:
                return ClaimState(How.FOUND, claim.finding)
            case Outcome.NOT_APPLICABLE if claim.cause is Cause.REFUSED:
                return ClaimState(How.REFUSED, why=REFUSES)
            case Outcome.NOT_APPLICABLE:
                return ClaimState(How.NOTHING, why=claim.why)
            case Outcome.HELD | Outcome.GONE:
                return ClaimState(How.HELD)
        return ClaimState(How.UNKNOWN, why=f"{self.name}: {claim.why}")

    def gone(self, test: str) -> str:
        """Why its entry must be removed; "" otherwise."""
        claim = self.claims.get(test)
        return str(claim.reason) if claim and claim.outcome is Outcome.GONE else ""

    def words(self, finding: Finding) -> str:
        """The finding's `saw`, without the parts that change between runs and releases."""
        return steady(self._unnamed(finding.saw))

    def kind(self, finding: Finding) -> tuple[object, ...]:
        """Identifies the same kind of finding across runs and releases, independent of the column."""
        same = (finding.claim, finding.verdict, finding.blame.owner, finding.reader)
        return (*same, shape(self._unnamed(finding.saw)))

    def _unnamed(self, text: str) -> str:
        return text.replace(self._release, "XTable")


def cost(finding: Finding) -> tuple[int, int, int, int]:
    impact = finding.impact
    return impact.files, impact.rows, impact.unlisted, impact.rows_lost_or_wrong


def columns(finding: Finding) -> frozenset[str]:
    """The columns that deviate; empty for a finding with an example query, whose columns are those of queries."""
    return frozenset() if finding.example else frozenset(finding.columns)

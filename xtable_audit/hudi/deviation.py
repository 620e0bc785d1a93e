"""Where a claim about Hudi's own skipping breaks."""

from __future__ import annotations

from dataclasses import dataclass

from xtable_audit.hudi.case import HudiCase
from xtable_audit.model.claim import Claim
from xtable_audit.model.finding import Blame, Verdict
from xtable_audit.model.predicate import Predicate


@dataclass(frozen=True)
class Loss:
    """A predicate for which Hudi's reader loses rows."""

    predicate: Predicate
    actual: int
    """Rows that match by the actual values."""
    found: int | None
    """Rows that the reader counts."""

    @property
    def rows(self) -> int:
        return self.actual - (self.found or 0)


@dataclass(frozen=True)
class Deviation:
    """Where a claim breaks: one column or predicate, with its first place as the example."""

    saw: str
    expected: str
    files: frozenset[str] = frozenset()
    """The live base files concerned."""
    stage: int = -1
    """Index into the case's stages; the newest for a query."""
    column: str | None = None
    verdict: Verdict | None = None
    """Overrides the claim's verdict for this deviation."""
    loss: Loss | None = None


HudiClaim = Claim[HudiCase, Deviation]
"""One sentence that Hudi's reader, or another user of Hudi's indexes, relies on."""

WROTE_IT = (Blame.HUDI, "Hudi wrote it into its own index")
READ_IT = (Blame.HUDI, "Hudi's own reader does it on Hudi's own table")

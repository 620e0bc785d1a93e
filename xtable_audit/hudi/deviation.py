"""Where a claim about Hudi's own skipping breaks."""

from __future__ import annotations

from dataclasses import dataclass

from xtable_audit.hudi.case import HudiCase
from xtable_audit.model.claim import Claim
from xtable_audit.model.finding import Blame, Verdict
from xtable_audit.model.predicate import Predicate


@dataclass(frozen=True)
class Loss:
    """A predicate that Hudi's reader answers by too few files."""

    predicate: Predicate
    actual: int
    """Rows that match by their values."""
    found: int | None
    """Rows that the reader counts."""

    @property
    def rows(self) -> int:
        return self.actual - (self.found or 0)


@dataclass(frozen=True)
class Deviation:
    """Where a claim breaks: one column or predicate, and the first of its places as the example."""

    saw: str
    expected: str
    files: frozenset[str] = frozenset()
    """The live base files that it is about."""
    stage: int = -1
    """Of the case's stages; the newest where a question was put to the reader."""
    column: str | None = None
    verdict: Verdict | None = None
    """Where this deviation does worse or less than its claim usually does."""
    loss: Loss | None = None


HudiClaim = Claim[HudiCase, Deviation]
"""One sentence that Hudi's reader, or whoever takes over Hudi's indexes, relies on."""

WROTE_IT = (Blame.HUDI, "Hudi wrote it into its own index")
READ_IT = (Blame.HUDI, "Hudi's own reader does it on Hudi's own table")

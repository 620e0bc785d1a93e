"""What a claim about Hudi's own skipping is; as `xtable_audit.claims.claim`, of a HudiCase."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from xtable_audit.hudi.case import HudiCase, Mode
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


Check = Callable[[HudiCase], Iterator[Deviation]]


@dataclass(frozen=True)
class HudiClaim:
    """One sentence that Hudi's reader, or whoever takes over Hudi's indexes, relies on."""

    id: str
    family: str
    sentence: str
    spec: str
    breaks: Verdict
    blame: Blame
    because: str
    asks: tuple[Mode, ...]
    """The trials that it is held against; none for a claim about the indexes."""
    check: Check

    def deviations(self, case: HudiCase) -> list[Deviation]:
        return list(self.check(case))


CLAIMS: dict[str, HudiClaim] = {}

WROTE_IT = (Blame.HUDI, "Hudi wrote it into its own index")
READ_IT = (Blame.HUDI, "Hudi's own reader does it on Hudi's own table")


def claim(
    sentence: str,
    *,
    spec: str,
    breaks: Verdict,
    blame: tuple[Blame, str] = WROTE_IT,
    asks: tuple[Mode, ...] = (),
) -> Callable[[Check], HudiClaim]:
    """Make a check the claim that `sentence` says. Its id is the function's name, its family the module's.

    Raises ValueError where another claim has that id.
    """

    def register(check: Check) -> HudiClaim:
        family = check.__module__.rpartition(".")[2]
        made = HudiClaim(check.__name__, family, sentence, spec, breaks, *blame, asks, check)
        if made.id in CLAIMS:
            raise ValueError(f"two claims have the id {made.id}, in {CLAIMS[made.id].family} and {made.family}")
        CLAIMS[made.id] = made
        return made

    return register

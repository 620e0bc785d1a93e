"""A claim: one sentence a reader relies on, the rule behind it, what it needs, and the comparison that breaks it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, get_type_hints

from xtable_audit.model.finding import Blame, Verdict

C = TypeVar("C", contravariant=True)
S = TypeVar("S")
"""What a claim is held against: a table's case, a reader's answers, a planner's trial, a table of Hudi's own."""
D = TypeVar("D")
"""Where and how it breaks there."""


@dataclass(frozen=True)
class Need(Generic[C]):
    """What a subject must have before a claim can be held against it."""

    words: str
    """As the end of "the claim needs …"."""
    count: Callable[[C], int]
    """How many there are to compare; 0 for none."""
    of_run: bool = False
    """Whether the run lacks it (a request log, an engine), not the table: inconclusive, where a table that lacks it
    makes the claim not applicable.
    """


@dataclass(frozen=True)
class Claim(Generic[S, D]):
    """One sentence a reader relies on. Its words in a suite, a finding and a report are these."""

    id: str
    family: str
    sentence: str
    spec: str
    """The rule it comes from: a section of a specification, an option's documentation."""
    breaks: Verdict
    needs: tuple[Need[S], ...]
    check: Callable[[S], Iterator[D]]
    about: type[S]
    blame: tuple[Blame, str] | None = None
    """Whose fault every deviation is, and why; None where that is found out."""
    asks: tuple[str, ...] = ()
    """The ways of asking a reader that it is about; none for a claim about metadata."""

    def lacks(self, subject: S) -> Need[S] | None:
        """The first need that the subject does not meet. A claim that lacks one compares nothing, and never holds."""
        return next((need for need in self.needs if not need.count(subject)), None)

    def deviations(self, subject: S) -> list[D]:
        return list(self.check(subject))


CLAIMS: dict[str, Claim[Any, Any]] = {}
"""Every claim by its id, once its module is imported."""


def claim(
    sentence: str,
    *,
    needs: Need[S] | tuple[Need[S], ...],
    spec: str,
    breaks: Verdict,
    blame: tuple[Blame, str] | None = None,
    asks: tuple[str, ...] = (),
) -> Callable[[Callable[[S], Iterator[D]]], Claim[S, D]]:
    """Make a check the claim that `sentence` says. Its id is the function's name, its family the module's.

    Raises ValueError where another claim has that id, or where it needs nothing: it could hold having compared nothing.
    """

    def register(check: Callable[[S], Iterator[D]]) -> Claim[S, D]:
        family = check.__module__.rpartition(".")[2]
        demanded = needs if isinstance(needs, tuple) else (needs,)
        if not demanded:
            raise ValueError(f"the claim {check.__name__} says nothing of what it needs")
        about = next(iter(get_type_hints(check).values()))
        made = Claim(check.__name__, family, sentence, spec, breaks, demanded, check, about, blame, asks)
        if made.id in CLAIMS:
            raise ValueError(f"two claims have the id {made.id}, in {CLAIMS[made.id].family} and {made.family}")
        CLAIMS[made.id] = made
        return made

    return register


def claims_about(subject: type[S]) -> dict[str, Claim[S, Any]]:
    """The claims about this kind of subject, by id."""
    return {id: claim for id, claim in CLAIMS.items() if claim.about is subject}

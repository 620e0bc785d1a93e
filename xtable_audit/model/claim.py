"""A claim: one sentence a reader relies on, its rule, its needs, and the check that finds deviations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar, get_type_hints

from xtable_audit.model.finding import Blame, Verdict
from xtable_audit.model.subject_id import ICEBERG
from xtable_audit.model.target_rules import TargetRules

C = TypeVar("C", contravariant=True)
S = TypeVar("S")
"""The subject of a claim: a table's case, a reader's answers, a planner's trial, or a Hudi table with its indexes."""
D = TypeVar("D")
"""A deviation: where and how the subject breaks the claim."""


@dataclass(frozen=True)
class Need(Generic[C]):
    """What a subject must have before a claim can be checked on it."""

    words: str
    """Completes the sentence "the claim needs …"."""
    count: Callable[[C], int]
    """Number of things to compare, or True as soon as there is one; 0 or False if the need is not met."""
    why: Callable[[C], str] = lambda subject: ""
    """Why an unmet need is unmet, in one sentence; "" if the words say enough."""
    of_run: bool = False
    """Whether the run provides it (a request log, an engine). A claim is inconclusive if the run lacks a need, and not
    applicable if the table lacks it.
    """
    waits: Callable[[C], bool] = lambda subject: False
    """Whether it looks at a part of the subject that is not read yet: the claim then waits for it."""


@dataclass(frozen=True)
class Claim(Generic[S, D]):
    """One sentence a reader relies on. Suites, findings and reports quote it verbatim."""

    id: str
    family: str
    sentence: str
    spec: str
    """Source of the rule: a section of a specification, or an option's documentation."""
    breaks: Verdict
    needs: tuple[Need[S], ...]
    check: Callable[[S], Iterator[D]]
    about: type[S]
    blame: tuple[Blame, str] | None = None
    """Whose fault every deviation is, and why; None if the ruling decides per finding."""
    asks: tuple[str, ...] = ()
    """The ways of querying a reader that it covers; empty for a claim about metadata."""
    of: str | None = None
    """The only format whose metadata can break it; None for any."""

    @property
    def statement(self) -> str:
        """The sentence as a report prints it alone: with a capital and a full stop."""
        return f"{self.sentence[0].upper()}{self.sentence[1:]}."

    def lacks(self, subject: S) -> Need[S] | None:
        """The first need that the subject does not meet, or that waits; or None. The claim then compares nothing."""
        rules: TargetRules | None = getattr(subject, "rules", None)  # of a subject whose metadata is of one format
        if rules is not None and (words := self._ruled_out(rules)):
            return Need(words, lambda _: 0)
        return next((need for need in self.needs if need.waits(subject) or not need.count(subject)), None)

    def _ruled_out(self, rules: TargetRules) -> str:
        """What the claim needs that tables of the format do not have; "" if it applies to them."""
        if self.of not in (None, rules.format):
            return f"metadata of {str(self.of).capitalize()}"
        return rules.silent.get(self.id, "")

    def under(self, rules: TargetRules) -> Claim[S, D]:
        """The claim with the sentences of that format."""
        rule = rules.rules.get(self.id)
        return self if rule is None else replace(self, spec=rule.spec, sentence=rule.sentence or self.sentence)

    def deviations(self, subject: S) -> list[D]:
        return list(self.check(subject))


CLAIMS: dict[str, Claim[Any, Any]] = {}
"""Claims by id. Importing a module of claims registers them."""


def claim(
    sentence: str,
    *,
    needs: Need[S] | tuple[Need[S], ...],
    spec: str,
    breaks: Verdict,
    blame: tuple[Blame, str] | None = None,
    asks: tuple[str, ...] = (),
    of: str | None = None,
) -> Callable[[Callable[[S], Iterator[D]]], Claim[S, D]]:
    """Registers a check as a claim. Its id is the function's name, its family the module's.

    A claim in a format's own folder is `of` that format, unless another is named.

    Raises ValueError if another claim has that id or if `needs` is empty: such a claim could hold without a comparison.
    """

    def register(check: Callable[[S], Iterator[D]]) -> Claim[S, D]:
        family = check.__module__.rpartition(".")[2]
        demanded = needs if isinstance(needs, tuple) else (needs,)
        if not demanded:
            raise ValueError(f"the claim {check.__name__} says nothing of what it needs")
        about = next(iter(get_type_hints(check).values()))
        format = of or _format_of(check.__module__)
        made = Claim(check.__name__, family, sentence, spec, breaks, demanded, check, about, blame, asks, format)
        if made.id in CLAIMS:
            raise ValueError(f"two claims have the id {made.id}, in {CLAIMS[made.id].family} and {made.family}")
        CLAIMS[made.id] = made
        return made

    return register


OWN_FOLDER = re.compile(r"\.formats\.(\w+)\.claims\b")


def _format_of(module: str) -> str | None:
    found = OWN_FOLDER.search(module)
    return found[1] if found else None


def claims_about(subject: type[S], target: str = ICEBERG) -> dict[str, Claim[S, Any]]:
    """The claims about this kind of subject that metadata of this format can break, by id."""
    return {id: claim for id, claim in CLAIMS.items() if claim.about is subject and claim.of in (None, target)}

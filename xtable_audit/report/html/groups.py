"""The findings of a document, those with one cause together, as the page lists them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypedDict

from xtable_audit.model.finding import SEVERITY, Answers, Finding, Verdict, worst
from xtable_audit.model.outcome import Outcome
from xtable_audit.model.owner import Owner, owner
from xtable_audit.model.result import ClaimResult
from xtable_audit.report.causes import CONSEQUENCES
from xtable_audit.report.compare import Cost, total
from xtable_audit.report.document import Document
from xtable_audit.report.known_findings import COMMON, known_findings
from xtable_audit.report.what_to_do import what_to_do


class Standing(TypedDict):
    excused: str
    advice: bool


@dataclass(frozen=True)
class FindingGroup:
    """Claims that fail from one cause: a register's entry, or one new finding's claim."""

    anchor: str
    """Unique on the page, and safe as an HTML id."""
    name: str
    """The entry's id; `new` for what the register does not list."""
    title: str
    new: bool
    excused: str
    """Why it does not count, in a clause: the user accepts or ignores it; empty if it counts."""
    advice: bool
    """Whether it is below --fail-on."""
    findings: tuple[Finding, ...]
    """Worst first."""
    follow: int
    """Claims that cannot be checked because of it."""
    owner: Owner
    """Whose bug it is: by the register, or of a new one by most of its findings."""
    common: str = ""
    """How common the condition is; empty if the register does not list it."""
    cause: str = ""
    remedies: tuple[str, ...] = ()
    """What a user does today, one way or the other; empty if none is known."""
    effect: str = ""
    """What it does to a query, as far as the run measured it."""

    @property
    def verdict(self) -> Verdict:
        return worst([one.verdict for one in self.findings])

    @property
    def first(self) -> Finding:
        """The finding that the page shows in full: the worst, and of those the one with readers' answers."""
        alike = [one for one in self.findings if one.verdict is self.verdict]
        return max(alike, key=lambda one: (one.answers is not None, one.impact.rows_lost_or_wrong))

    @property
    def tables(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.table for one in self.findings))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that deviate, of a new one that is about one table; an entry's title says what it is about."""
        of = dict.fromkeys(column for one in self.findings for column in one.columns)
        return tuple(of) if self.new and len(self.tables) == 1 else ()

    @property
    def cost(self) -> Cost:
        return total((one.table, one) for one in self.findings)

    @property
    def answers(self) -> Answers | None:
        """Readers' answers to the query that most of them answer wrongly."""
        return max((one.answers for one in self.findings if one.answers), key=lambda one: one.wrong, default=None)

    @property
    def order(self) -> tuple[int, bool, int, int, str]:
        """New ones first within a verdict, then by owner, then those that most users meet."""
        common = COMMON.index(self.common) if self.common in COMMON else 0
        return SEVERITY.index(self.verdict), not self.new, list(Owner).index(self.owner), common, self.name


def groups(document: Document) -> tuple[FindingGroup, ...]:
    """Every finding of the document in exactly one group, worst groups first."""
    made = [*_known(document), *_new(document)]
    return tuple(sorted(made, key=lambda one: one.order))


def _known(document: Document) -> Iterable[FindingGroup]:
    for seen in known_findings(document):
        entry = document.register.get(seen.id)
        yield FindingGroup(
            anchor=_safe(seen.id),
            name=seen.id,
            title=seen.title,
            new=False,
            **_standing(seen.findings, document),
            findings=_sorted(seen.findings),
            follow=seen.follow,
            owner=seen.owner,
            common=seen.common,
            cause=entry.cause if entry else "",
            remedies=tuple(what_to_do(seen.findings[0], document)),
            effect=seen.effect,
        )


def _standing(findings: Iterable[Finding], document: Document) -> Standing:
    """Whether a group counts: it is excused or advice if each of its findings is."""
    found = tuple(findings)
    if (own := document.own_table) is None:
        return {"excused": "", "advice": False}
    reasons = [own.excuse(one) for one in found]
    excused = "; ".join(dict.fromkeys(reasons)) if all(reasons) else ""
    return {"excused": excused, "advice": not excused and not any(one in document.failing_on for one in found)}


def _new(document: Document) -> Iterable[FindingGroup]:
    """By claim; one that follows from another's failure, or measures what that costs, stands with it."""
    failing: dict[str, set[str]] = {}
    of: dict[str, list[ClaimResult]] = {}
    results = [(one, one.finding) for one in document.claims if one.outcome is Outcome.FINDING and one.finding]
    for _, finding in results:
        failing.setdefault(finding.table, set()).add(finding.claim)
    for result, finding in results:
        of_claim = (finding.root, *CONSEQUENCES.get(finding.claim, ()))
        causes = (one for one in of_claim if one in failing[finding.table])
        of.setdefault(next(causes, finding.claim), []).append(result)
    for claim, results_of_cause in of.items():
        own = [one.finding for one in results_of_cause if one.finding and not one.follows]
        findings = _sorted(own or [one.finding for one in results_of_cause if one.finding])
        yield FindingGroup(
            anchor=_safe(f"new-{claim}"),
            name="new",
            title=f"Fails: {findings[0].sentence}",
            new=True,
            **_standing(findings, document),
            findings=findings,
            follow=len(results_of_cause) - len(findings),
            owner=Counter(owner(one.blame) for one in findings).most_common(1)[0][0],
            remedies=tuple(dict.fromkeys(part for one in findings for part in what_to_do(one, document))),
            effect=str(total((one.table, one) for one in findings)),
        )


def _sorted(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(findings, key=lambda one: (SEVERITY.index(one.verdict), one.table, one.claim)))


def _safe(text: str) -> str:
    """As an HTML id and the fragment of an address."""
    return re.sub(r"[^\w-]", "_", text, flags=re.ASCII)

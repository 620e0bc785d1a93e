"""The known findings of one run: what each does to a query, as far as the run measured it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from xtable_audit.model.figures import many
from xtable_audit.model.finding import SEVERITY, Answers, Finding, Verdict, worst
from xtable_audit.model.outcome import Outcome
from xtable_audit.model.owner import Owner, owner
from xtable_audit.model.result import ClaimResult
from xtable_audit.report.compare import total
from xtable_audit.report.document import Document

COMMON = ("everyday", "occasional", "rare")
"""How common a condition is, the commonest first."""


@dataclass(frozen=True)
class SeenEntry:
    """A registered finding as it occurs in this run."""

    id: str
    title: str
    owner: Owner
    """Whose bug it is."""
    common: str
    findings: tuple[Finding, ...]
    follow: int
    """Claims that fail only because of it."""

    @property
    def verdict(self) -> Verdict:
        return worst([finding.verdict for finding in self.findings])

    @property
    def order(self) -> tuple[int, int, str]:
        return COMMON.index(self.common), SEVERITY.index(self.verdict), self.id

    @property
    def effect(self) -> str:
        """What it does to a query, as far as the run measured it."""
        answers = [finding.answers for finding in self.findings if finding.answers and finding.answers.wrong]
        if answers:
            return _answered(max(answers, key=lambda one: one.wrong))
        tried = [finding.impact for finding in self.findings if finding.impact.losing]
        if tried:
            most = max(tried, key=lambda one: one.losing)
            lose = "loses" if most.losing == 1 else "lose"
            return f"{most.losing:,} of {many(most.tried, 'predicate')} tried {lose} rows"
        cost = total((finding.table, finding) for finding in self.findings)
        if cost.rows:
            return str(cost)
        tables = len({finding.table for finding in self.findings})
        also = f", {self.follow:,} more follow" if self.follow else ""
        return f"{many(len(self.findings), 'claim')} on {many(tables, 'table')}{also}"


def _answered(answers: Answers) -> str:
    """`5 of 5 readers count 0 rows, not 1`."""
    counted = [rows for rows in answers.readers.values() if isinstance(rows, int)]
    wrong = Counter(rows for rows in counted if rows != answers.actual)
    rows, _ = wrong.most_common(1)[0]
    who = f"{answers.wrong} of {many(len(counted), 'reader')}"
    what = many(rows, "row") if len(wrong) == 1 else "wrong numbers of rows"
    return f"{who} count {what}, not {answers.actual:,}"


def known_findings(document: Document) -> Iterator[SeenEntry]:
    """Registered findings of this run, those that most users meet first."""
    results: dict[str, list[ClaimResult]] = {}
    for result in document.claims:
        if result.outcome is Outcome.KNOWN and result.finding:
            results.setdefault(str(result.finding.registered), []).append(result)
    entries = []
    for id, of in results.items():
        findings = [result.finding for result in of if result.finding]
        own = tuple(result.finding for result in of if result.finding and not result.follows) or tuple(findings)
        registered = document.register.get(id)
        common, whose = (registered.common, registered.owner) if registered else (COMMON[-1], owner(own[0].blame))
        entries.append(SeenEntry(id, document.title(own[0]), whose, common, own, len(findings) - len(own)))
    yield from sorted(entries, key=lambda one: one.order)

"""A run's findings by their causes: the one model that every screen, summary, badge and page counts and sorts by."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter

from xtable_audit.model.figures import many
from xtable_audit.model.finding import SEVERITY, Answers, Finding, Verdict, worst
from xtable_audit.model.outcome import Outcome
from xtable_audit.model.result import ClaimResult, Owner, owner
from xtable_audit.register.entry import Common
from xtable_audit.report.compare import Cost, total
from xtable_audit.report.document import Document, Registered
from xtable_audit.report.what_to_do import what_to_do

CONSEQUENCES = {"points_skip_what_exact_bounds_would": ("bounds_are_present", "bounds_are_tight")}
"""Claims that measure what the failure of other claims costs, shown with those on the same columns."""
COMMON: list[str] = list(Common)
"""The commonest first."""


@dataclass(frozen=True, eq=False)
class FindingGroup:
    """Claims that fail from one cause: a register's entry, or one new finding's claim."""

    document: Document
    results: tuple[ClaimResult, ...]
    """The root first, then those that follow from it."""

    @cached_property
    def alike(self) -> tuple[Finding, ...]:
        """The findings of claims that fail of themselves, the root first."""
        return tuple(alone(self.results))

    @property
    def head(self) -> Finding:
        return self.alike[0]

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """The same, worst first."""
        return tuple(sorted(self.alike, key=lambda one: (SEVERITY.index(one.verdict), one.table, one.claim)))

    @property
    def follow(self) -> int:
        """Claims that cannot be checked because of it."""
        return len(self.results) - len(self.alike)

    @property
    def new(self) -> bool:
        return self.head.registered is None

    @property
    def name(self) -> str:
        """The entry's id; `new` for what the register does not list."""
        return self.head.registered or "new"

    @property
    def anchor(self) -> str:
        """Unique on the page, and safe as an HTML id and the fragment of an address."""
        return re.sub(r"[^\w-]", "_", self.head.registered or f"new-{self.head.claim}", flags=re.ASCII)

    @property
    def entry(self) -> Registered | None:
        return self.document.register.get(self.name)

    @property
    def title(self) -> str:
        return f"Fails: {self.head.sentence}" if self.new else self.document.title(self.head)

    @property
    def cause(self) -> str:
        return self.entry.cause if self.entry else ""

    @property
    def common(self) -> str:
        """How common the condition is; empty if the register does not list it."""
        return self.entry.common if self.entry else "" if self.new else COMMON[-1]

    @property
    def owner(self) -> Owner:
        """Whose bug it is: by the register, else by most of its findings."""
        blamed = Counter(owner(one.blame) for one in self.findings)
        return self.entry.owner if self.entry else blamed.most_common(1)[0][0]

    @cached_property
    def remedies(self) -> tuple[str, ...]:
        """What a user does today, one way or the other; empty if none is known."""
        found = self.findings if self.new else (self.head,)
        return tuple(dict.fromkeys(words for one in found for words in what_to_do(one, self.document)))

    @cached_property
    def counting(self) -> tuple[Finding, ...]:
        """Those that the user of a table neither accepts nor ignores, the root first."""
        own = self.document.own_table
        return tuple(one for one in self.alike if own is None or not own.excuse(one))

    @property
    def excused(self) -> str:
        """Why it does not count, in a clause; empty if one of its findings counts."""
        own = self.document.own_table
        return "" if self.counting or own is None else "; ".join(dict.fromkeys(map(own.excuse, self.alike)))

    @cached_property
    def fails(self) -> bool:
        """Whether one of its findings is at --fail-on or above, and counts."""
        failing = self.document.failing_on
        return any(one in failing for one in self.counting)

    @property
    def advice(self) -> bool:
        """Of a user's own table, whether it counts and is below --fail-on."""
        return self.document.own_table is not None and bool(self.counting) and not self.fails

    @property
    def verdict(self) -> Verdict:
        return worst([one.verdict for one in self.alike])

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
        return total(self.alike)

    @property
    def answers(self) -> Answers | None:
        """Readers' answers to the query that most of them answer wrongly."""
        return max((one.answers for one in self.alike if one.answers), key=lambda one: one.wrong, default=None)

    @property
    def effect(self) -> str:
        """What it does to a query, as far as the run measured it."""
        if self.new:
            return str(self.cost)
        if self.answers and self.answers.wrong:
            return _answered(self.answers)
        most = max((one.impact for one in self.alike), key=lambda one: one.losing)
        if most.losing:
            lose = "loses" if most.losing == 1 else "lose"
            return f"{most.losing:,} of {many(most.tried, 'predicate')} tried {lose} rows"
        if self.cost.rows:
            return str(self.cost)
        also = f", {self.follow:,} more follow" if self.follow else ""
        return f"{many(len(self.alike), 'claim')} on {many(len(self.tables), 'table')}{also}"

    @property
    def order(self) -> tuple[int, bool, int, int, str]:
        """New ones first within a verdict, then by owner, then those that most users meet."""
        common = COMMON.index(self.common) if self.common else 0
        return SEVERITY.index(self.verdict), not self.new, list(Owner).index(self.owner), common, self.name


def groups(document: Document) -> tuple[FindingGroup, ...]:
    """Every finding of the document in exactly one group, worst groups first."""
    results = [(one, one.finding) for one in document.claims if one.finding]
    failing: dict[tuple[str, str], Finding] = {}
    for _, finding in results:
        failing.setdefault((finding.table, finding.claim), finding)
    of_one_table = document.own_table is not None
    ranked: list[tuple[tuple[bool, int], str, ClaimResult]] = []
    for result, finding in results:
        leader = _leader(finding, failing, of_one_table)
        rank = finding is not leader, SEVERITY.index(finding.verdict) if of_one_table else 0
        ranked.append((rank, leader.registered or (leader.saw if of_one_table else leader.claim), result))
    alike: dict[str, list[ClaimResult]] = {}
    for _, key, result in sorted(ranked, key=itemgetter(0)):
        alike.setdefault(key, []).append(result)
    made = (FindingGroup(document, tuple(some)) for some in alike.values())
    return tuple(sorted(made, key=lambda one: one.order))


def _leader(finding: Finding, failing: Mapping[tuple[str, str], Finding], of_one_table: bool) -> Finding:
    """The finding with which it is shown: its root, or what a consequence measures; else itself.

    A known cause does not hide a new finding, unless all are of one table.
    """
    root = failing.get((finding.table, finding.root))
    if root is not None and finding.registered in (None, root.registered):
        return root
    for claim in () if finding.registered else CONSEQUENCES.get(finding.claim, ()):
        cause = failing.get((finding.table, claim))
        if cause and {*finding.columns} <= {*cause.columns} and (of_one_table or cause.registered is None):
            return cause
    return finding


def known_findings(document: Document) -> list[FindingGroup]:
    """The groups that the register lists, those that most users meet first."""
    known = (one for one in groups(document) if not one.new)
    return sorted(known, key=lambda one: (COMMON.index(one.common), SEVERITY.index(one.verdict), one.name))


def new_findings(document: Document) -> list[Finding]:
    """What the register does not list, each once, worst first."""
    new = [one for one in document.claims if one.outcome is Outcome.FINDING]
    return sorted(alone(new), key=lambda one: SEVERITY.index(one.verdict))


def alone(results: Iterable[ClaimResult]) -> list[Finding]:
    """The findings of claims that fail of themselves; one that only keeps others from being checked, once."""
    found = [(one, one.finding) for one in results if one.finding]
    own = [finding for result, finding in found if not result.follows]
    stated = {(one.claim, one.table) for one in own}
    for _, finding in found:
        if (finding.claim, finding.table) not in stated:
            stated.add((finding.claim, finding.table))
            own.append(finding)
    return own


def _answered(answers: Answers) -> str:
    """`5 of 5 readers count 0 rows, not 1`."""
    counted = [rows for rows in answers.readers.values() if isinstance(rows, int)]
    wrong = Counter(rows for rows in counted if rows != answers.actual)
    rows, _ = wrong.most_common(1)[0]
    who = f"{answers.wrong} of {many(len(counted), 'reader')}"
    what = many(rows, "row") if len(wrong) == 1 else "wrong numbers of rows"
    return f"{who} count {what}, not {answers.actual:,}"

"""A run's outcomes as lines of text, one a claim, without all that differs between two runs of the same suite.

A line has neither times, paths, file names, commit times nor the words of a reason, and does not depend on the order
of tests, on workers or on the machine: a recorded run and a live one of the same tables leave the same lines.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from xtable_audit.model.finding import Finding
from xtable_audit.model.fingerprint import steady
from xtable_audit.model.outcome import FAILS, Outcome
from xtable_audit.model.result import ClaimResult
from xtable_audit.register.entry import Entry, Where
from xtable_audit.report.document import Document

BETWEEN = " | "
GAP = "…"
COMMITTED = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\+00:00")
OF_COMMIT_TIMES = frozenset({"failure_keeps_the_last_instant", "last_instant_never_goes_back"})
"""Claims whose findings name times of commits, which are others once a table is recorded anew."""


@dataclass(frozen=True)
class OutcomeLine:
    claim: str
    table: str
    text: str


@dataclass(frozen=True)
class Lines:
    """All lines of one run."""

    lines: tuple[OutcomeLine, ...]
    """Sorted by their text."""
    intermittent: Mapping[str, int]
    """In the register's words, what comes and goes: to the number of lines that stand for any of its outcomes."""

    @classmethod
    def of(cls, lines: Iterable[OutcomeLine], intermittent: Mapping[str, int]) -> Lines:
        return cls(tuple(sorted(lines, key=lambda one: one.text)), dict(sorted(intermittent.items())))


def lines_of(document: Document, entries: Sequence[Entry]) -> Lines:
    """`entries` are those of the register: they say which findings are intermittent."""
    lines, intermittent = [], Counter[str]()
    for result in document.claims:
        words = outcome(result)
        if lapse := _lapse(result, document, entries):
            entry, where = lapse
            intermittent[f"{entry.id}: {where.at_times}"] += 1
            words = [f"as {entry.id} registers it, or otherwise at times"]
        text = BETWEEN.join([result.claim, str(result.table), *filter(None, [_parameters(result)]), *words])
        lines.append(OutcomeLine(result.claim, str(result.table), text))
    return Lines.of(lines, intermittent)


def outcome(result: ClaimResult) -> list[str]:
    """Its outcome; of a finding also verdict, blame, entry and fingerprint."""
    found = result.finding
    if found is None:
        return [str(result.outcome)]
    known = f"{result.outcome} {found.registered}" if found.registered else str(result.outcome)
    return [known, str(found.verdict), str(found.blame), *fingerprint(found)]


def fingerprint(found: Finding) -> Iterator[str]:
    """What was found where, as far as two runs find the same."""
    if found.columns:
        yield ", ".join(found.columns)
    yield str(found.impact)
    texts = _steady(found.saw), _steady(found.expected)
    yield from (COMMITTED.sub(GAP, text) for text in texts) if found.claim in OF_COMMIT_TIMES else texts
    if found.signs:
        yield ", ".join(map(str, found.signs))


def _steady(text: str) -> str:
    return " ".join(steady(text).replace("\0", GAP).split())


def _parameters(result: ClaimResult) -> str:
    """What the test is asked for besides its table: a reader, a planner, a question."""
    parameters = result.test.partition("[")[2].removesuffix("]")
    return parameters.removeprefix(str(result.table)).removeprefix("-")


def _lapse(result: ClaimResult, document: Document, entries: Sequence[Entry]) -> tuple[Entry, Where] | None:
    """The intermittent finding that the claim shows or may show here; None if its outcome is one that must not vary."""
    since = document.run.upgrade_from
    for entry in entries:
        lapses = entry.lapses(result.claim, {"table": result.table, "reader": result.reader}, document.versions, since)
        if lapses and _is_of(result, entry):
            return entry, lapses[0]
    return None


def _is_of(result: ClaimResult, entry: Entry) -> bool:
    """Whether it passes, or fails in a way that the entry registers."""
    if result.outcome in FAILS:
        return result.finding is not None and result.finding.registered == entry.id
    return result.outcome is Outcome.HELD

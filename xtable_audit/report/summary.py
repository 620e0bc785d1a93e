"""A run as Markdown for the summary of a CI job: the verdict first, then what is new or gone, then what is known."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from xtable_audit.model.figures import many
from xtable_audit.model.finding import SEVERITY, Finding
from xtable_audit.model.printable import shortened
from xtable_audit.report import beside_findings, check_screen, first_screen
from xtable_audit.report.beside_findings import coverage, excused_lines, ignored_entries
from xtable_audit.report.document import Document
from xtable_audit.report.groups import known_findings, new_findings
from xtable_audit.report.text import plain, table
from xtable_audit.report.what_to_do import what_to_do

NAME = "summary.md"
"""Its file beside audit.json."""
LARGEST = 900 << 10
"""Maximum bytes; GitHub takes 1 MiB of summary, and shows none of a longer one."""
MOST = 60
"""Maximum rows of a table."""
LONGEST = 300
"""Maximum characters of one cell."""


def summary(document: Document) -> str:
    """Of an audit, or of a user's own table. Below LARGEST, whatever the document holds."""
    return "\n".join(_own_table(document) if document.own_table else _audit(document)) + "\n"


def verdict(document: Document) -> str:
    """The verdict in one line, as the terminal shows it."""
    line = check_screen.verdict_line(document) if document.own_table else first_screen.closing(document)
    return re.sub(" {2,}", " · ", line.plain)


def _audit(document: Document) -> Iterator[str]:
    yield from _head(document, first_screen.headline(document))
    yield plain(first_screen.counts(document))
    why = first_screen.why_not_live(document)
    yield from ["", plain(why)] if why else []
    yield from _findings("New", new_findings(document), document)
    for title, lines in beside_findings.listed(document).items():
        yield from _listed(title, lines)
    if known := known_findings(document):
        rows = [
            (one.name, one.title, f"{one.verdict.words} ({one.verdict})", one.effect, "; or: ".join(one.remedies))
            for one in known
        ]
        yield from ["", "<details>", f"<summary>{many(len(known), 'known finding')}</summary>"]
        yield from [*_table("|  | known finding | to readers | measured | do |", rows), "", "</details>"]


def _own_table(document: Document) -> Iterator[str]:
    assert document.own_table is not None
    yield from _head(document, check_screen.headline(document.own_table))
    for line in coverage(document.own_table):
        yield from [plain(line), ""]
    yield check_screen.counted(document)
    for title, findings in (("Findings", document.failing_on), ("Advice", document.advice)):
        yield from _findings(title, sorted(findings, key=lambda one: SEVERITY.index(one.verdict)), document)
    yield from _listed(beside_findings.COULD_NOT_RUN, beside_findings.listed(document)[beside_findings.COULD_NOT_RUN])
    yield from _listed("Accepted and ignored", excused_lines(document))
    yield from _listed("Ignore file", ignored_entries(document.own_table))


def _head(document: Document, line: str) -> Iterator[str]:
    yield from [f"## {plain(verdict(document))}", "", plain(line), ""]
    for note in document.notes:
        yield from [plain(note), ""]


def _findings(title: str, findings: Sequence[Finding], document: Document) -> Iterator[str]:
    if findings:
        rows = [
            (_status(one), one.sentence, _place(one), _affects(one), one.saw, _do(one, document)) for one in findings
        ]
        yield from ["", f"### {title}", *_table("|  | the claim | where | affects | stored | do |", rows)]


def _affects(finding: Finding) -> str:
    return f"{finding.impact}. {finding.change}" if finding.change else str(finding.impact)


def _do(finding: Finding, document: Document) -> str:
    return "; or: ".join(what_to_do(finding, document))


def _status(finding: Finding) -> str:
    standing = f", {finding.standing}" if finding.registered or finding.changed_from else ""
    return f"{finding.verdict} ({finding.verdict.words}){standing}"


def _place(finding: Finding) -> str:
    column = f"column {finding.column}" if finding.column else ""
    return " · ".join(part for part in (finding.table, finding.reader, column) if part)


def _listed(title: str, lines: Iterable[str]) -> Iterator[str]:
    every = list(lines)
    if every:
        yield from ["", f"### {title}", "", *(f"* {plain(shortened(one, LONGEST))}" for one in every[:MOST])]
        yield from _rest(every)


def _table(head: str, rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield ""
    yield from table(head, ([plain(shortened(one, LONGEST)) for one in row] for row in rows[:MOST]))
    yield from _rest(rows)


def _rest(every: Sequence[object]) -> Iterator[str]:
    if len(every) > MOST:
        yield from ["", f"and {len(every) - MOST:,} more in audit.json"]

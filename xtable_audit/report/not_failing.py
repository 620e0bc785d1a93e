"""What a check of a user's own table found that does not fail it: advice, and what the user accepts or ignores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xtable_audit.model.figures import few
from xtable_audit.model.finding import Finding
from xtable_audit.model.ignoring import ENDED
from xtable_audit.model.own_table import OwnTable
from xtable_audit.report.document import Document

NAMED = 3
"""Maximum columns that a line names."""


def advice_lines(findings: Iterable[Finding]) -> Iterator[str]:
    """One for each: what it does, where, what fails, and what an ignore file calls it."""
    for one in findings:
        yield f"{one.verdict.words}{_where(one)}, as this fails: {one.sentence} ({_called(one)})"


def excused_lines(document: Document) -> Iterator[str]:
    """One for each finding that the user accepts or ignores."""
    assert document.own_table is not None
    for one in document.excused:
        yield f"{one.verdict.words}{_where(one)}: {_called(one)}, {document.own_table.excuse(one)}"


def ignored_entries(table: OwnTable) -> Iterator[str]:
    """What the user must know of the ignore file: entries that have ended, and those that matched nothing."""
    for one in table.ignored:
        if one.state == "ended":
            yield ENDED.format(until=one.until, what=one.what)
        if one.state == "unmatched":
            yield f"Matched nothing: {one.what} in the ignore file; remove it."


def _where(finding: Finding) -> str:
    return f" for {few(finding.columns, NAMED)}" if finding.columns else ""


def _called(finding: Finding) -> str:
    return f"{finding.registered}, {finding.claim}" if finding.registered else finding.claim

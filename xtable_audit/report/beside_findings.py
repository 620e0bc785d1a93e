"""What a run says beside its findings: what it compared, left out or did not judge, and what does not fail it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from xtable_audit.model.figures import few, in_bytes, many
from xtable_audit.model.finding import Finding
from xtable_audit.model.outcome import Outcome
from xtable_audit.model.own_table import ENDED, OwnTable
from xtable_audit.report.document import Document, SetAsideRow


def coverage(table: OwnTable) -> Iterator[str]:
    """One sentence each."""
    if table.read is None:
        yield f"Compared: the metadata of {many(table.files, 'file')}, and no value."
    else:
        files = many(table.files, "file")
        of = files if table.read >= table.files else f"{table.read:,} of {files}"
        columns = many(len(table.only_columns) or table.columns, "column")
        size = f"{many(table.rows_read or 0, 'row')}, {in_bytes(table.bytes_read or 0)}"
        yield f"Compared: the metadata of {of} with the values of {columns} ({size})."
    for one in table.left_out:
        yield f"Left out: {one}."


FEW = 3
"""Maximum number of columns or files that a line names."""


def set_aside(document: Document) -> list[str]:
    alike: dict[tuple[str, str, bool], list[SetAsideRow]] = {}
    for row in document.set_aside:
        alike.setdefault((row.table, row.reason, row.path is not None), []).append(row)
    return [
        f"{table}: {_named(rows, 'file' if are_files else 'column')} not judged in full: {reason}"
        for (table, reason, are_files), rows in alike.items()
    ]


def _named(rows: list[SetAsideRow], what: str) -> str:
    names = [(row.path or "").rpartition("/")[2] or str(row.column) for row in rows]
    listed = ", ".join(names[:FEW]) + (" …" if len(names) > FEW else "")
    return f"{what} {listed}" if len(names) == 1 else f"{many(len(names), what)} ({listed})"


UNRUN = (Outcome.INCONCLUSIVE, Outcome.ERROR)
GONE, COULD_NOT_RUN = "Registered but gone: mend the register", "Could not run"


def reasons(document: Document, *outcomes: Outcome) -> list[tuple[tuple[Outcome, str], int]]:
    """Of the claims with one of these outcomes; the reason of most claims first."""
    return Counter((one.outcome, one.why) for one in document.claims if one.outcome in outcomes).most_common()


def listed(document: Document) -> dict[str, list[str]]:
    """Titles with a line for each reason."""
    gone = dict.fromkeys(one.why for one in document.claims if one.outcome is Outcome.GONE)
    unrun = (f"{many(number, 'claim')}: {why}" for (_, why), number in reasons(document, *UNRUN))
    return {GONE: list(gone), COULD_NOT_RUN: list(unrun)}


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

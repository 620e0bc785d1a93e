"""The screen of one table of the user's own: at most 80 columns, the verdict first and last, findings between."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from rich.console import Console
from rich.text import Text

from xtable_audit.model.figures import few, many
from xtable_audit.model.finding import SEVERITY, Finding, Impact, Verdict
from xtable_audit.model.outcome import Cause, Outcome, RunVerdict
from xtable_audit.model.own_table import OwnTable, PredicateRow
from xtable_audit.model.printable import printable
from xtable_audit.report.beside_findings import advice_lines, coverage, excused_lines, ignored_entries, set_aside
from xtable_audit.report.document import Document
from xtable_audit.report.groups import FindingGroup, groups
from xtable_audit.report.text import LONGEST, WIDTH, folded, labelled, to_copy
from xtable_audit.report.what_to_do import what_to_do

COLUMNS_NAMED = 3
"""Maximum number of known findings that are named as its cause."""


NOTHING = "no remedy is known"
AS_ABOVE = "as above"


def findings_lines(groups: Iterable[Sequence[Finding]], document: Document) -> Iterator[Text]:
    """Each group of findings with one cause. A remedy of several is printed once."""
    printed: set[str] = set()
    for group in groups:
        yield from finding_lines(group, document, _remedies(group, document, printed))


def finding_lines(group: Sequence[Finding], document: Document, remedies: Sequence[str]) -> Iterator[Text]:
    """The first finding of the group; the others have its cause."""
    finding, *others = group
    accepted = document.own_table is not None and finding.registered in document.own_table.accepted
    status = f"known as {finding.registered}" if finding.registered else "not known"
    parts = [f"{finding.verdict.words} ({finding.verdict})", status + (", accepted" if accepted else "")]
    parts += [f"column {finding.column}"] if finding.column else []
    yield Text("")
    head, *more = folded("FINDING  " + " · ".join(parts))
    yield Text(head, "bold")
    yield from (Text(f"         {line}", "bold") for line in more)
    lines = {
        "claim": finding.sentence,
        "stored": finding.saw,
        "expected": finding.expected,
        "impact": str(finding.impact) if _counts(finding.impact) else "",
        "example": finding.example,
        "also": f"fails: {' · '.join(f'{one.sentence} ({one.verdict})' for one in others)}" if others else "",
        **_whose(finding, document),
    }
    beside = {"stored": finding.expected, "expected": finding.saw}
    for label, words in lines.items():
        if words:
            yield from (Text(line) for line in labelled(label, words, beside.get(label, "")))
    for number, words in enumerate(_maybe(finding, document)):
        yield from (Text(line) for line in labelled("" if number else "maybe", words))
    for number, words in enumerate(remedies):
        yield from (Text(line) for line in to_copy("or" if number else "do", words))


def _counts(impact: Impact) -> bool:
    """Whether it counts anything: what is beside the data files affects none of them."""
    return any((impact.files, impact.unlisted, impact.tried, impact.wrong))


def _maybe(finding: Finding, document: Document) -> list[str]:
    """Known findings that it may be."""
    assert document.own_table is not None
    ids = () if finding.registered else document.own_table.candidates.get(finding.claim, ())
    named = [f"{id}: {document.register[id].title}" for id in ids[:COLUMNS_NAMED]]
    more = [f"{len(ids) - COLUMNS_NAMED} more: {', '.join(ids[COLUMNS_NAMED:])}"] if len(ids) > COLUMNS_NAMED else []
    return [*named, *more]


def _whose(finding: Finding, document: Document) -> dict[str, str]:
    """Cause of a known finding; of another who wrote it."""
    entry = document.register.get(str(finding.registered))
    if entry is None:
        return {"blame": f"{finding.blame}: {finding.because}"}
    return {"cause": f"{finding.blame}: {entry.title}. More: xtable-audit known {finding.registered}"}


def _remedies(group: Sequence[Finding], document: Document, printed: set[str]) -> list[str]:
    """Those of the root; if it has none, of the first that has. `printed` are those of the findings before."""
    every = next(filter(None, (what_to_do(one, document) for one in group)), [])
    new = [words for words in every if words not in printed]
    printed.update(new)
    return [*([AS_ABOVE] if len(new) < len(every) else []), *new] or [NOTHING]


LONGEST_STATE = len("version 1000000")
"""Characters of a state that is shown whole: an id of Iceberg has nineteen digits."""
FINDINGS, NAMED = 8, 3
"""Maximum number of findings that the screen shows, and of columns that the verdict names."""
MISSING_FILES = "every_file_exists"
EFFECT = {
    Verdict.UNSOUND: "readers lose rows",
    Verdict.DUPLICATE: "readers return rows twice",
    Verdict.STALE: "readers return stale rows",
    Verdict.FAILED_SILENTLY: "readers may fail; none was asked",
    Verdict.UNREADABLE: "it breaks the specification; readers were not asked",
}
"""What a table does to its readers that they cannot be spared."""
STYLES = {0: "bold green", 1: "bold red"}


def print_check_screen(console: Console, document: Document, report: str = "") -> None:
    """`report` names the report.html or audit.json, if one was written."""
    for line in check_screen(document, report):
        console.print(line, no_wrap=True, overflow="ellipsis", width=WIDTH)


def check_screen(document: Document, report: str = "") -> list[Text]:
    """Raises ValueError for a document of anything but a user's own table."""
    table = document.own_table
    if table is None:
        raise ValueError("the document is not of a user's own table")
    body = [Text(line) for line in folded(headline(table))]
    body += [verdict_line(document)]
    body += [Text(line, "yellow") for note in document.notes for line in folded(note)]
    body += [Text(line) for one in table.predicates for line in _asked(one)]
    found = groups(document)
    failing, advice = ([one for one in found if one.fails], [one for one in found if one.advice])
    body += findings_lines((one.alike for one in failing[:FINDINGS]), document)
    if len(failing) > FINDINGS:
        body += [Text(""), Text(f"and {many(len(failing) - FINDINGS, 'finding')} more in the report")]
    body += [Text(line) for line in (*_not_failing(advice, document), *_rest(document, report))]
    return [*body, verdict_line(document)]


def headline(table: OwnTable) -> str:
    """What the table is, in one line; without its state if that is too long."""
    parts = [printable(table.name), many(table.files, "file"), many(table.columns, "column")]
    parts += [f"written by {printable(table.writer)}"] if table.writer else []
    state = table.state if len(table.state) <= LONGEST_STATE else f"{table.commit} {str(table.snapshot)[:4]}…"
    whole = " · ".join([*parts, state])
    return whole if len(whole) <= WIDTH else " · ".join(parts)


def verdict_line(document: Document) -> Text:
    """The verdict, and the exit status at the end of the line."""
    status = f"exit {document.exit_status}" if document.complete else "cut short"
    room = WIDTH - len(status) - 2
    candidates = (verdict_words(document, named) for named in range(NAMED, -1, -1))
    words = next((one for one in candidates if len(one) <= room), textwrap.shorten(verdict_words(document), room))
    style = STYLES.get(document.exit_status, "bold yellow") if document.complete else "bold yellow"
    return Text.assemble((words, style), " " * (WIDTH - len(words) - len(status)), status)


def verdict_words(document: Document, most: int = NAMED) -> str:
    """Whether the table can be trusted, in words. `most` columns are named."""
    table = document.own_table
    assert table is not None
    found = document.failing_on or (document.advice if document.verdict is RunVerdict.ADVICE else ())
    if not found:
        return _nothing_found(document, table)
    worst = min((one.verdict for one in found), key=SEVERITY.index)
    named = _columns([one for one in found if one.verdict is worst], most)
    if worst in EFFECT:
        missing = all(one.claim == MISSING_FILES for one in found if one.verdict is worst)
        effect = "data files are missing" if missing else EFFECT[worst]
        return f"DO NOT TRUST{f' for {named}' if named else ''}: {effect}"
    if worst is Verdict.LOOSE:
        return f"NO WRONG RESULTS FOUND{_but(document)}, EXTRA READS{f' for {named}' if named else ''}"
    return f"NO WRONG RESULTS FOUND{_but(document)}: what is wrong misleads no known reader"


def _nothing_found(document: Document, table: OwnTable) -> str:
    if document.verdict is RunVerdict.INCONCLUSIVE:
        unread = [one for one in document.claims if one.outcome is Outcome.INCONCLUSIVE]
        if unread and all(one.cause is Cause.NOT_COMPARED for one in unread):
            return "INCONCLUSIVE: not all of the table could be compared with its source"
        return "INCONCLUSIVE: not all of the table could be read"
    but = _but(document)
    if table.read is None:
        return f"NOTHING FOUND in the metadata{but}; no value was compared"
    if table.read < table.files:
        return f"NOTHING FOUND in {table.read:,} of {many(table.files, 'file')}{but}"
    return f"NOTHING FOUND{but}: every claim that applies holds"


def _but(document: Document) -> str:
    """That findings were left out of the verdict, and why; "" if none were."""
    assert document.own_table is not None
    how = dict.fromkeys(document.own_table.excuse(one).split()[0] for one in document.excused)
    return f" but what is {' or '.join(how)}" if how else ""


def _columns(findings: Sequence[Finding], most: int) -> str:
    """The columns that the findings name; "" if one of them is about the whole table."""
    if not all(one.columns for one in findings):
        return ""
    names = list(dict.fromkeys(printable(column) for one in findings for column in one.columns))
    if not most:
        return many(len(names), "column")
    return few(names, most)


def _asked(one: PredicateRow) -> Iterator[str]:
    """What a predicate of the user's is planned to read, and what matches it."""
    yield ""
    yield from folded(f"WHERE {textwrap.shorten(one.predicate, LONGEST, placeholder=' …')}")
    counts = f"{one.live:,} live · {one.planned:,} planned"
    if one.read is None:
        yield from _indented(f"{counts}; {many(one.rows_planned, 'row')} to scan; no value was compared")
        return
    matching, rows = one.matching or 0, one.rows_matching or 0
    if one.read < one.live:
        yield from _indented(
            f"{counts}; {many(one.rows_planned, 'row')} to scan; {matching:,} of {many(one.read, 'file')} read "
            f"{'holds' if matching == 1 else 'hold'} {many(rows, 'matching row')}"
        )
    else:
        yield from _indented(
            f"{counts} · {many(matching, 'matching file')}; {many(one.rows_planned, 'row')} to scan, {rows:,} "
            f"{'matches' if rows == 1 else 'match'}"
        )
    if one.lost:
        yield from _indented(f"{many(one.lost, 'matching file')} not planned: {many(one.rows_lost or 0, 'row')} lost")
    if one.advice:
        yield from to_copy("do", one.advice)


def _indented(words: str) -> list[str]:
    return [f"  {line}" for line in textwrap.wrap(printable(words), WIDTH - 2)]


def _rest(document: Document, report: str) -> Iterator[str]:
    """How many claims were checked, and where the rest stands."""
    yield ""
    assert document.own_table is not None
    for line in (*coverage(document.own_table), *set_aside(document), *ignored_entries(document.own_table)):
        yield from folded(line)
    yield from folded(counted(document))
    for why in dict.fromkeys(one.why for one in document.claims if one.outcome is Outcome.INCONCLUSIVE):
        yield from folded(why)
    if report:
        yield f"Report: {report}"


def _not_failing(advice: Sequence[FindingGroup], document: Document) -> Iterator[str]:
    """Each cause that is advice, and one line for each finding that the user accepts or ignores."""
    excused = list(excused_lines(document))
    if advice or excused:
        yield ""
    for words in advice_lines(group.counting[0] for group in advice[:FINDINGS]):
        head, *others = folded(f"ADVICE   {words}")
        yield head
        yield from (f"         {one}" for one in others)
    if advice:
        more = f"{len(advice) - FINDINGS:,} more. " if len(advice) > FINDINGS else ""
        bar = advice[0].counting[0].verdict
        yield from folded(f"{more}Advice does not fail the check (--fail-on {bar} does); summary.md has remedies.")
    yield from (_one_line(f"ALLOWED  {line}") for line in excused[:FINDINGS])


def _one_line(words: str) -> str:
    line = printable(words)
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…"


def counted(document: Document) -> str:
    """How many claims apply, hold, fail and could not run."""
    counts = document.counts
    failing = counts.finding + counts.known
    parts = [f"{counts.held:,} {'holds' if counts.held == 1 else 'hold'}"]
    parts += [f"{failing:,} {'fails' if failing == 1 else 'fail'}"]
    parts += [f"{counts.inconclusive:,} could not run"] if counts.inconclusive else []
    applying = len(document.claims) - counts.not_applicable
    apply = f"{many(applying, 'claim')} of {len(document.claims):,} {'applies' if applying == 1 else 'apply'}"
    return f"{apply}: {' · '.join(parts)}"

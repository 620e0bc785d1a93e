"""The page's first screen: may I trust this metadata, what does it cost me, what should I do?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from xtable_audit.model.figures import many
from xtable_audit.model.finding import SEVERITY, WRONG_ANSWERS, Finding, Verdict
from xtable_audit.model.outcome import Outcome, RunVerdict
from xtable_audit.model.result import Owner
from xtable_audit.report import check_screen, first_screen
from xtable_audit.report.beside_findings import coverage, ignored_entries
from xtable_audit.report.compare import total
from xtable_audit.report.document import Document
from xtable_audit.report.groups import FindingGroup
from xtable_audit.report.reader_answers import asked, predicates_tried

Tone = Literal["good", "fair", "bad"]
TONES: dict[RunVerdict, Tone] = {
    RunVerdict.CONFORMANT: "good",
    RunVerdict.KNOWN_DEFECTS: "fair",
    RunVerdict.ADVICE: "fair",
    RunVerdict.FINDINGS: "bad",
    RunVerdict.INCONCLUSIVE: "fair",
    RunVerdict.ERROR: "bad",
}
SOURCE = {"hudi": "Hudi", "spark": "Spark", "iceberg-spark": "Iceberg"}
"""What writes the source tables: the name of its version in a document, and its own."""
HARMLESS = (Verdict.LOOSE, Verdict.COSMETIC)
"""Legal: readers get the right results."""
FEW = 3
"""Maximum things to do that the first screen names."""
NAMED = 5
"""Maximum columns that it names for one verdict."""


@dataclass(frozen=True)
class AnswerLine:
    """One line of an answer; `anchor` is the group that it is about, if any."""

    text: str
    anchor: str = ""
    label: str = ""
    """What the link says."""


@dataclass(frozen=True)
class AnswerCard:
    question: str
    short: str
    lines: tuple[AnswerLine, ...]
    number: str = ""
    """The figure that `short` is about, in large; empty for none."""


@dataclass(frozen=True)
class EffectRow:
    """How many groups have one verdict, by whose bug it is, in the order of the head."""

    verdict: Verdict
    counts: tuple[int, ...]
    anchors: tuple[str, ...]
    """The first group of each count; empty where it is 0."""
    columns: str = ""
    """Those that are hit: named if they are few, else counted."""

    @property
    def total(self) -> int:
        return sum(self.counts)


@dataclass(frozen=True)
class First:
    subject: str
    """The release under audit, or the user's own table."""
    about: str
    """What is known of the subject, in a line."""
    source: str
    """Live, or a replay and of which day."""
    replay: bool
    verdict: str
    tone: Tone
    status: str
    answers: tuple[AnswerCard, ...]
    owners: tuple[str, ...]
    effects: tuple[EffectRow, ...]


def first(document: Document, found: Sequence[FindingGroup]) -> First:
    """`found` are the document's groups."""
    owners = tuple(one for one in Owner if any(group.owner == one for group in found))
    return First(
        subject=subject(document),
        about=_about(document),
        source=_source(document),
        replay=document.translation.mode == "recorded",
        verdict=verdict_words(document),
        tone=tone(document),
        status=status(document.exit_status) if document.complete else "cut short",
        answers=(
            AnswerCard("May I trust this metadata?", _trusted(document, found), _lines(_checked(document, found))),
            _cost(document, found),
            _to_do(document, found),
        ),
        owners=owners,
        effects=tuple(_effect(document, verdict, found, owners) for verdict in SEVERITY if _of(found, verdict)),
    )


def status(exit_status: int) -> str:
    """What a CI job makes of it."""
    return f"exit {exit_status}: CI {'fails' if exit_status else 'passes'}"


def subject(document: Document) -> str:
    """The release under audit, or the user's own table."""
    return document.own_table.name if document.own_table else f"XTable {document.translation.release}"


def verdict_words(document: Document) -> str:
    return check_screen.verdict_words(document) if document.own_table else first_screen.verdict_words(document)


def tone(document: Document) -> Tone:
    if document.own_table is not None and document.exit_status == 1:
        return "bad"
    if document.verdict is RunVerdict.ADVICE and all(one.verdict in HARMLESS for one in document.advice):
        return "good"
    return TONES[document.verdict]


def _about(document: Document) -> str:
    own = document.own_table
    if own is None:
        parts = [f"{name} {document.versions[id]}" for id, name in SOURCE.items() if id in document.versions]
        if document.run.upgrade_from:
            parts.insert(0, f"upgrade in place from {document.run.upgrade_from}")
        tables = {one.table for one in document.claims if one.table}
        return " · ".join([*parts, many(len(tables), "test table")])
    parts = [many(own.files, "file"), many(own.columns, "column")]
    parts += [f"written by {own.writer}"] if own.writer else []
    return " · ".join([*parts, own.state])


def _source(document: Document) -> str:
    day = f"{document.run.started:%Y-%m-%d %H:%M} UTC"
    match document.translation.mode:
        case "live":
            return f"Live run of {day}"
        case "recorded":
            return f"Replay of {document.translation.recorded_on}, not run here"
        case "given":
            return f"Checked on {day}"
        case _:
            return "XTable is not run: the release does not resolve"


def _trusted(document: Document, found: Sequence[FindingGroup]) -> str:
    counted = [group for group in found if not group.excused]
    wrong = [group for group in counted if group.verdict in WRONG_ANSWERS]
    if wrong and document.own_table:
        return "No: by this metadata readers get wrong results."
    if wrong:
        return f"Not every table: {many(len(wrong), 'cause')} {'gives' if len(wrong) == 1 else 'give'} wrong results."
    if document.verdict in (RunVerdict.ERROR, RunVerdict.INCONCLUSIVE) or _is_partial(document):
        judged = _is_partial(document) or len(document.claims) > document.counts.not_applicable
        return f"Not known: {'something that was selected could not run' if judged else 'no claim was judged'}."
    refused = [group for group in counted if group.verdict in (Verdict.UNREADABLE, Verdict.FAILED_SILENTLY)]
    if refused and all(group.owner is Owner.READERS for group in refused):
        names = sorted({str(one.reader) for group in refused for one in group.findings})
        return f"Yes for results; {', '.join(names)} {'refuses' if len(names) == 1 else 'refuse'} tables."
    if refused:
        return "What can be read is right; not all can be read."
    if any(group.verdict is Verdict.LOOSE for group in counted):
        return "Yes for results; readers scan more than they must."
    if document.own_table and (document.own_table.read or 0) < document.own_table.files:
        return "Nothing found in what was compared; not every value was."
    return "Yes: nothing that was checked misleads a reader."


def _is_partial(document: Document) -> bool:
    return not document.complete or document.count(Outcome.INCONCLUSIVE, Outcome.ERROR) > 0


def _checked(document: Document, found: Sequence[FindingGroup]) -> Iterator[str]:
    counts, own = document.counts, document.own_table
    yield f"{counts.held:,} of {many(len(document.claims) - counts.not_applicable, 'claim')} that apply hold"
    if own is None:
        tables = {one.table for one in document.claims if one.table}
        hit = {one.table for one in _findings(found, *WRONG_ANSWERS)}
        yield f"{len(tables - hit):,} of {many(len(tables), 'table')} have no finding of wrong results"
    new = sum(group.new for group in found)
    yield f"{many(new, 'new cause')}, {len(found) - new:,} known"
    if own is not None:
        yield from (*coverage(own), *ignored_entries(own))
    if counts.inconclusive:
        yield f"{many(counts.inconclusive, 'claim')} could not run; that is no pass"


def _cost(document: Document, found: Sequence[FindingGroup]) -> AnswerCard:
    wrong = _findings(found, *WRONG_ANSWERS)
    lost = total(wrong).rows
    number, short = "", "No row is lost or wrong in what was checked."
    if lost:
        of = "" if document.own_table else " of this suite's own tables"
        number, short = f"{lost:,}", f"rows{of} lost or wrong, by the values"
    elif wrong:
        rows = sum({one.table: one.impact.rows for one in wrong}.values())
        number, short = f"{rows:,}", "rows in files that readers may skip or take wrongly"
    return AnswerCard("What does it cost me?", short, _lines(_costs(document, found)), number)


def _costs(document: Document, found: Sequence[FindingGroup]) -> Iterator[str]:
    own, wrong = document.own_table, _findings(found, *WRONG_ANSWERS)
    if own is None and wrong:
        yield from asked(document, [one.table for one in wrong]).words
    tried, losing = predicates_tried(document)
    if tried:
        yield f"{losing:,} of {many(tried, 'predicate')} tried lose rows"
    for row in own.predicates if own else ():
        lost = f", {many(row.rows_lost or 0, 'row')} lost" if row.lost else ""
        yield f"{row.planned:,} of {many(row.live, 'file')} planned{lost}: {row.predicate}"
    for verdict in (Verdict.UNREADABLE, Verdict.LOOSE) if own is None else ():
        if hit := {one.table for one in _findings(found, verdict)}:
            yield f"{verdict.words}: {many(len(hit), 'table')}"
    if own is not None and (loose := _findings(found, Verdict.LOOSE)):
        files = max(one.impact.files for one in loose)
        yield f"extra reads: bounds of {files:,} of {many(own.files, 'file')}"


def _lines(words: Iterable[str]) -> tuple[AnswerLine, ...]:
    return tuple(map(AnswerLine, words))


def _findings(found: Sequence[FindingGroup], *verdicts: Verdict) -> list[Finding]:
    return [one for group in found for one in group.findings if one.verdict in verdicts]


def _to_do(document: Document, found: Sequence[FindingGroup]) -> AnswerCard:
    counted = [group for group in found if not group.excused]
    new = [group for group in counted if group.new and not group.advice]
    gone = document.count(Outcome.GONE)
    lines = [AnswerLine(text, group.anchor, _named(group)) for text, group in _first_remedies(new)[:FEW]]
    if document.count(Outcome.ERROR) or not document.complete:
        lines.insert(0, AnswerLine("Run it again: the suite itself failed, or was cut short."))
    if gone:
        lines.append(AnswerLine(f"Remove {many(gone, 'registered finding')} that {'is' if gone == 1 else 'are'} gone."))
    mendable = [group for group in counted if group not in new and group.remedies]
    worst = sorted(mendable, key=lambda one: (one.common != "everyday", one.order))
    texts = {line.text for line in lines}
    lines += [
        AnswerLine(text, group.anchor, group.name)
        for text, group in _first_remedies(worst)[: max(FEW - len(lines), 0)]
        if text not in texts
    ]
    if not counted:
        short = "Nothing."
    elif all(group.advice for group in counted):
        short = "Nothing that must be done; this mends what is advice:"
    elif new:
        short = f"Look at {many(len(new), 'new cause')} first."
    elif not lines:
        short = "No remedy is known for what was found."
    else:
        have = f"{'has' if len(mendable) == 1 else 'have'} a remedy; first the commonest of the worst:"
        short = f"{len(mendable):,} of {many(len(counted), 'cause')} {have}"
    return AnswerCard("What should I do?", short, tuple(lines))


def _first_remedies(new: Sequence[FindingGroup]) -> list[tuple[str, FindingGroup]]:
    """The first remedy of each, else its title; what mends several stands once."""
    remedies: dict[str, FindingGroup] = {}
    for group in new:
        remedies.setdefault(group.remedies[0] if group.remedies else group.title, group)
    return list(remedies.items())


def _named(group: FindingGroup) -> str:
    """A new finding by its columns."""
    return group.columns[0] if len(group.columns) == 1 else group.name


def _of(found: Sequence[FindingGroup], verdict: Verdict, owner: str | None = None) -> list[FindingGroup]:
    return [one for one in found if one.verdict is verdict and owner in (None, one.owner)]


def _effect(document: Document, verdict: Verdict, found: Sequence[FindingGroup], owners: Sequence[str]) -> EffectRow:
    of = [_of(found, verdict, owner) for owner in owners]
    anchors = tuple(one[0].anchor if one else "" for one in of)
    return EffectRow(verdict, tuple(map(len, of)), anchors, _columns(document, _of(found, verdict)))


def _columns(document: Document, of: Sequence[FindingGroup]) -> str:
    """Of a user's own table by their names, else with their tables'."""
    hit = dict.fromkeys((str(one.table), column) for group in of for one in group.findings for column in one.columns)
    if len(hit) > NAMED:
        tables = {table for table, _ in hit}
        where = "" if document.own_table else f" of {many(len(tables), 'table')}"
        return f"{many(len(hit), 'column')}{where}"
    return ", ".join(column if document.own_table else f"{table}.{column}" for table, column in hit)

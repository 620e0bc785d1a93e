"""Draws the pages that compare runs: that of a gate, and that of two runs. Needs the extra [report]."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from xtable_audit.model.figures import many
from xtable_audit.model.outcome import FAILS
from xtable_audit.report.compare import HUDIS_INDEXES, Change, of_differences
from xtable_audit.report.diff import TITLES, Alike, Diff, by_cause, lines, measured, named
from xtable_audit.report.document import Document
from xtable_audit.report.gate import Gate
from xtable_audit.report.gate_answers import UpgradeAdvice, net
from xtable_audit.report.gate_page import FOLDED, IN_FULL, drop_steps
from xtable_audit.report.html import document_pictures, draw, first
from xtable_audit.report.html.first import Tone, status
from xtable_audit.report.html.picture import Picture
from xtable_audit.report.html.template import embedded, fill
from xtable_audit.report.summary import MOST
from xtable_audit.report.text import capital

QUESTIONS = {
    "Which claims fail anew?": (Change.NEW, Change.NEWLY_READ),
    "Which fail in another way?": (Change.CHANGED,),
    "Which fail no more?": (Change.FIXED, Change.GONE),
}
DRAWN = 30
"""Maximum lines with a picture, worst first: drawing takes most of the page's time."""
FEW = 3
"""Maximum lines that an answer of the first screen names."""


OpeningLine = tuple[Alike, str, tuple[Picture, ...]]
"""A line of the page, which opens; where links lead; its pictures."""


@dataclass(frozen=True)
class Section:
    """One kind of change, in full."""

    change: Change
    title: str
    words: str
    lines: tuple[OpeningLine, ...]
    more: int
    """Lines that the page leaves out."""

    @property
    def anchor(self) -> str:
        return self.change.name.lower()


@dataclass(frozen=True)
class RunRow:
    name: str
    named: str
    verdict: str
    tone: first.Tone
    held: int
    failing: int
    aside: str
    """Failing claims that are not compared."""


def render_diff(diff: Diff) -> str:
    """The page as HTML. The same two documents make the same bytes."""
    sections = tuple(_sections(diff))
    still = diff.of(Change.STILL)
    return fill(
        "diff.html.j2",
        diff=diff,
        subject=_subject(diff),
        tone=_tone(diff),
        unchanged=f"{many(len(still), 'failing claim')} as before",
        answered=tuple(_answers(diff, sections)),
        runs=[_run(name, document) for name, document in diff.runs],
        sections=sections,
        still=by_cause(still)[:MOST],
        still_words=measured(still),
        titles={id: one.title for _, document in diff.runs for id, one in document.register.items()},
        unknown=diff.not_compared.most_common(MOST),
    )


def _subject(diff: Diff) -> str:
    before, after = first.subject(diff.before), first.subject(diff.after)
    return f"in {after}" if before == after else f"from {before} to {after}"


def _tone(diff: Diff) -> first.Tone:
    if diff.of(Change.NEW, Change.NEWLY_READ) or any(one.worse for one in diff.differences):
        return "bad"
    return "fair" if diff.of(Change.CHANGED, Change.GONE) else "good"


def _sections(diff: Diff) -> Iterator[Section]:
    numbers = count(1)
    for change, title in TITLES.items():
        if found := diff.of(change):
            every = lines(found)
            shown = tuple(_shown(line, number) for line, number in zip(every[:MOST], numbers, strict=False))
            yield Section(change, title, measured(found), shown, len(every) - len(shown))


def _shown(line: Alike, number: int) -> OpeningLine:
    """What is gone has no picture."""
    anchor = f"change-{number}"
    if number > DRAWN or line.shown.change is Change.FIXED:
        return line, anchor, ()
    return line, anchor, document_pictures.of_findings(anchor, (one.finding for one in line.differences if one.finding))


def _answers(diff: Diff, sections: tuple[Section, ...]) -> Iterator[first.AnswerCard]:
    for question, changes in QUESTIONS.items():
        found = diff.of(*changes)
        shown = [one for section in sections if section.change in changes for one in section.lines]
        lines = [_line(line, anchor) for line, anchor, _ in shown[:FEW]]
        if len(shown) > FEW:
            lines.append(first.AnswerLine(f"and {many(len(shown) - FEW, 'more line')} below"))
        if found:
            noun = "claim" if len(found) == 1 else "claims"
            refused = sum(one.change is Change.NEWLY_READ for one in found)
            of = f", {refused:,} of them on tables that were refused before" if refused else ""
            yield first.AnswerCard(question, f"{noun}{of}: {of_differences(found)}", tuple(lines), f"{len(found):,}")
        else:
            yield first.AnswerCard(question, "None.", ())


def _line(line: Alike, anchor: str) -> first.AnswerLine:
    one = line.shown
    label = one.registered or (one.finding.verdict.words if one.finding else "register")
    return first.AnswerLine(f"{one.sentence.rstrip('.')}: {line.where}", anchor, label)


def _run(name: str, document: Document) -> RunRow:
    held, failing = document.counts.held, document.counts.finding + document.counts.known
    verdict, tone = first.verdict_words(document), first.tone(document)
    return RunRow(name, named(document), verdict, tone, held, failing, _aside(document))


def _aside(document: Document) -> str:
    """Each claim is counted once."""
    failing = [claim for claim in document.claims if claim.outcome in FAILS]
    others = [claim for claim in failing if document.sources.get(claim.table or "") != HUDIS_INDEXES]
    own, follow = len(failing) - len(others), sum(claim.follows for claim in others)
    parts = [f"{follow:,} follow from others" if follow else "", f"{own:,} of {HUDIS_INDEXES}" if own else ""]
    return ", ".join(filter(None, parts)) or "none"


TONES: dict[UpgradeAdvice, Tone] = {
    UpgradeAdvice.DO_NOT_UPGRADE: "bad",
    UpgradeAdvice.DROP_METADATA: "fair",
    UpgradeAdvice.UPGRADE_IN_PLACE: "good",
    UpgradeAdvice.WAIT: "fair",
    UpgradeAdvice.CANNOT_SAY: "fair",
}
SIGNS = {
    UpgradeAdvice.DO_NOT_UPGRADE: "✗",
    UpgradeAdvice.DROP_METADATA: "!",
    UpgradeAdvice.UPGRADE_IN_PLACE: "✓",
    UpgradeAdvice.WAIT: "!",
    UpgradeAdvice.CANNOT_SAY: "?",
}
PANELS = 4
"""Maximum kinds of sources of the picture, those with most tables."""


def render_gate(gate: Gate) -> str:
    """The page as HTML. The same gate makes the same bytes."""
    after = gate.after
    return fill(
        "gate.html.j2",
        embedded=embedded(gate.to_json()),
        gate=gate,
        to=gate.to,
        tone=TONES[gate.advice],
        signs=SIGNS,
        status=status(gate.exit_status),
        net=net(gate.answers).replace("->", "→") if gate.answers else "",
        finished=f"Live runs of {after.finished:%Y-%m-%d}" if after.finished and not after.unfit else "",
        pictures=tuple(_before_and_after(gate)),
        sections=[(capital(one), measured(of), lines(of)) for one in IN_FULL if (of := gate.of(one))],
        folded=[(capital(one), measured(of), by_cause(of)) for one in FOLDED if (of := gate.of(one))],
        drops=any(one.advice is UpgradeAdvice.DROP_METADATA for one in gate.answers),
        steps=drop_steps(gate),
    )


def _before_and_after(gate: Gate) -> Iterator[Picture]:
    if not gate.answers:
        return
    shown = gate.answers[:PANELS]
    before, after, left = gate.before.release, gate.after.release, "left behind in place"
    bars = [
        (one.kind, line, broken.claims)
        for one in shown
        for line, broken in ((before, one.before), (after, one.after), (left, one.left_behind))
    ]
    fills = {before: draw.GREY, after: draw.ACCENT, left: draw.HATCHED[draw.BAD]}
    title = "Claims that fail before and after, by kind of source"
    words = f"{before} alone, {after} alone, and what an upgrade in place leaves broken though {after} alone does not."
    head = ("source", before, after, left)
    rows = tuple((one.kind, one.before.claims, one.after.claims, one.left_behind.claims) for one in shown)
    drawn = draw.bars(bars, [one.kind for one in shown], fills, f"{title}. {words}")
    yield Picture("before-after", title, words, drawn, head, rows)

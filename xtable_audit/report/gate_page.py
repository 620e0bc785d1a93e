"""The gate on one page, for a terminal and in Markdown: worst first, similar differences in one line."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from xtable_audit.model.figures import many
from xtable_audit.model.fingerprint import shape
from xtable_audit.model.subject_id import SubjectId
from xtable_audit.report.compare import Change, Difference, total
from xtable_audit.report.gate import Gate, Run

WIDTH = 100
LINES = 8
"""Maximum lines per kind of change on the terminal; Markdown and JSON have all of them."""


QUESTION = "Is it safe to upgrade in place, or must the Iceberg metadata be dropped first?"


@dataclass(frozen=True)
class Line:
    """Differences in one line: with the same claim, the same reason and similar findings."""

    head: str
    sentence: str
    tables: tuple[str, ...]
    differences: tuple[Difference, ...]

    @property
    def where(self) -> str:
        named = ", ".join(self.tables[:2])
        return named + (f" and {len(self.tables) - 2} more" if len(self.tables) > 2 else "")


def lines(differences: Sequence[Difference]) -> list[Line]:
    """Groups similar differences, in the order of the worst of each group."""
    alike: dict[tuple[str, ...], list[Difference]] = {}
    for one in differences:
        alike.setdefault((_head(one), one.claim, one.why, _seen(one)), []).append(one)
    return [
        Line(head, some[0].sentence, tuple(dict.fromkeys(one.table or "" for one in some)), tuple(some))
        for (head, *_), some in alike.items()
    ]


def page(gate: Gate) -> str:
    """The page for a terminal: at most WIDTH columns, and at most LINES lines per kind of change."""
    parts = [f"gate  XTable {gate.before.release} -> {gate.after.release}", *_runs(gate), *map(_wrapped, gate.notes)]
    for change in Change:
        if change is not Change.COULD_NOT_RUN and gate.of(change):
            parts += ["", *map(_cut, _section(change, gate.of(change)))]
    if gate.unfit:
        parts += ["", "COULD NOT RUN", *map(_wrapped, gate.unfit[:LINES]), *_rest(len(gate.unfit))]
    parts += ["", *_question(gate)]
    return "\n".join(parts)


def _runs(gate: Gate) -> Iterator[str]:
    for run in gate.runs:
        counts = " · ".join(_counts(run))
        yield f" {run.name:<9} {run.release:<18} {'could not run, see below' if run.unfit else counts}"


def _section(change: Change, differences: Sequence[Difference]) -> Iterator[str]:
    yield f"{str(change).upper():<12} {many(len(differences), 'claim')}, {total(differences)}"
    all_lines = lines(differences)
    for line in all_lines[:LINES]:
        yield f" {line.head:<10} {line.sentence.rstrip('.')}"
        yield f" {'':<10} {total(line.differences)}: {line.where}"
        if why := line.differences[0].why:
            yield f" {'':<10} {why}"
    yield from _rest(len(all_lines))


def _rest(number: int) -> Iterator[str]:
    if number > LINES:
        yield f" … and {number - LINES} more such lines, in gate.md"


def _question(gate: Gate) -> Iterator[str]:
    yield QUESTION
    yield _wrapped(f"{str(gate.advice).upper()}: {gate.sentence}", " verdict  ", " " * 10)


def markdown(gate: Gate) -> str:
    """The full page in Markdown, for a pull request."""
    parts = [
        f"# XTable {gate.before.release} to {gate.after.release}",
        "",
        f"**{QUESTION} {_capital(gate.advice)}**: {gate.sentence}",
        "",
        "| run | release | verdict | claims |",
        "|---|---|---|---|",
        *(_run_row(gate, place) for place in range(3)),
        *_made(gate),
        *(f"\n{note}" for note in gate.notes),
    ]
    for change in Change:
        differences = gate.of(change)
        if change is not Change.COULD_NOT_RUN and differences:
            parts += ["", f"## {_capital(change)}: {many(len(differences), 'claim')}, {total(differences)}", ""]
            parts += [*_HEAD, *(_row(line) for line in lines(differences))]
    if gate.unfit:
        parts += ["", "## Could not run", "", *(f"- {_cell(reason)}" for reason in gate.unfit)]
    return "\n".join(parts) + "\n"


_HEAD = ["| | the claim | tables | costs | seen |", "|---|---|---|---|---|"]


def _made(gate: Gate) -> Iterator[str]:
    """Date, versions and durations, so that a kept page can be judged and reproduced."""
    document = gate.after.document
    if document is None:
        return
    versions = document.versions
    programs = [f"{name} {versions[name]}" for name in ("suite", "hudi", "spark") if name in versions]
    seconds = {run.name: run.document.run.seconds for run in gate.runs if run.document}
    durations = ", ".join(f"{name} {elapsed / 60:.0f} min" for name, elapsed in seconds.items())
    yield f"\nMade {document.run.finished:%Y-%m-%d} with {', '.join(programs)}. It took: {durations}."


def _run_row(gate: Gate, place: int) -> str:
    run = gate.runs[place]
    verdict = run.document.verdict if run.document else ""
    return f"| {run.name} | {run.release} | {verdict} | {_cell(run.unfit or ', '.join(_counts(run)))} |"


def _counts(run: Run) -> list[str]:
    counts = asdict(run.document.counts) if run.document else {}
    return [f"{number:,} {outcome}" for outcome, number in counts.items() if number]


def _row(line: Line) -> str:
    one = line.differences[0]
    seen = one.finding.saw if one.finding else ""
    seen += f" ({one.why})" if one.why else ""
    tables = ", ".join(line.tables)
    return f"| {line.head} | {_cell(line.sentence)} | {tables} | {total(line.differences)} | {_cell(seen)} |"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _head(one: Difference) -> str:
    """`UNSOUND XTF-012 duckdb`, `LOOSE -> UNSOUND`."""
    if one.finding is None:
        return ""
    verdict = str(one.finding.verdict)
    if one.change is Change.CHANGED and one.before and one.before.verdict != verdict:
        verdict = f"{one.before.verdict} -> {verdict}"
    return " ".join(part for part in (verdict, one.finding.registered, one.reader) if part)


def _seen(one: Difference) -> str:
    return shape(one.finding.saw.replace(SubjectId.parse(one.table or "\0").dataset, "\0")) if one.finding else ""


def _wrapped(text: str, first: str = " ", then: str = "  ") -> str:
    return textwrap.fill(text, WIDTH, initial_indent=first, subsequent_indent=then, break_on_hyphens=False)


def _cut(line: str) -> str:
    """The line cut to WIDTH; gate.md and gate.json hold the full text."""
    return line if len(line) <= WIDTH else line[: WIDTH - 2].rpartition(" ")[0] + " …"

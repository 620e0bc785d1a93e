"""The gate on one page, for a terminal and in Markdown: worst first, similar differences in one line."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from xtable_audit.formats.registered import DEFAULT
from xtable_audit.model.figures import few, many
from xtable_audit.model.fingerprint import shape
from xtable_audit.model.subject_id import SubjectId
from xtable_audit.report.compare import Change, Cost, Difference, of_differences
from xtable_audit.report.gate import Gate, Ran
from xtable_audit.report.gate_answers import SourceAnswer, UpgradeAdvice, net
from xtable_audit.report.gate_rests import Unjudged
from xtable_audit.report.markdown import cell
from xtable_audit.report.summary import LARGEST

WIDTH = 100
LINES = 8
"""Maximum lines per kind of change on the terminal; Markdown and JSON have all of them."""
REASONS = 3
"""Maximum reasons per kind why claims were not judged, likewise."""


IN_FULL = (Change.NEW, Change.LEFT_BEHIND, Change.NEWLY_READ, Change.CHANGED, Change.GONE)
FOLDED = (Change.STILL, Change.FIXED)
"""Changes of which each cause is one line."""
QUESTION = "Is it safe to upgrade in place, or must the Iceberg metadata be dropped first?"


@dataclass(frozen=True)
class DifferenceLine:
    """Differences in one line: with the same claim, the same reason and similar findings."""

    head: str
    sentence: str
    tables: tuple[str, ...]
    differences: tuple[Difference, ...]

    @property
    def cost(self) -> Cost:
        return of_differences(self.differences)

    @property
    def where(self) -> str:
        return few(self.tables, 2)


def lines(differences: Sequence[Difference]) -> list[DifferenceLine]:
    """Groups similar differences, in the order of the worst of each group."""
    alike: dict[tuple[str, ...], list[Difference]] = {}
    for one in differences:
        alike.setdefault((_head(one), one.claim, one.why, _seen(one)), []).append(one)
    return [
        DifferenceLine(head, some[0].sentence, tuple(dict.fromkeys(one.table or "" for one in some)), tuple(some))
        for (head, *_), some in alike.items()
    ]


def page(gate: Gate) -> str:
    """The page for a terminal: at most WIDTH columns, and at most LINES lines per kind of change."""
    parts = [
        f"gate  XTable {gate.before.release} -> {gate.after.release}{gate.to}",
        "",
        *_question(gate),
        *_answered(gate),
        "",
    ]
    parts += [*_runs(gate), *map(_wrapped, gate.notes), *_rests(gate)]
    for change in IN_FULL:
        if gate.of(change):
            parts += ["", *map(_cut, _section(change, gate.of(change)))]
    for change in FOLDED:
        if gate.of(change):
            parts += ["", *map(_cut, _causes(change, gate.of(change)))]
    if gate.unfit:
        parts += ["", "COULD NOT RUN", *map(_wrapped, gate.unfit[:LINES]), *_rest(len(gate.unfit))]
    return "\n".join([*parts, "", *_question(gate)])


def _question(gate: Gate) -> Iterator[str]:
    yield gate.of_target(QUESTION)
    yield _wrapped(f"{gate.of_target(gate.advice).upper()}: {gate.sentence}", " verdict  ", " " * 10)


def _answered(gate: Gate) -> Iterator[str]:
    """One answer for each kind of source, with what it rests on."""
    for one in gate.answers:
        yield f" {one.kind}, {many(one.tables, 'table')}: {gate.of_target(one.advice)}"
        yield _cut(f"   broken claims (rows lost or wrong): {one.before} -> {one.after}{_why(one)}")
    if gate.answers:
        yield f" all of them: {net(gate.answers)}"


def _why(one: SourceAnswer) -> str:
    left = f"; left behind in place: {one.left_behind}" if one.left_behind.claims else ""
    left += f"; no longer judged: {one.unjudged:,}" if one.unjudged else ""
    return left + (f"; {one.because}" if one.because else "")


def _runs(gate: Gate) -> Iterator[str]:
    for run in gate.runs:
        counts = " · ".join(_counts(run))
        yield f" {run.name:<9} {run.release:<18} {'could not run, see below' if run.unfit else counts}"


def _rests(gate: Gate) -> Iterator[str]:
    """What the answer rests on, and what it does not."""
    rests = gate.rests_on
    if rests is None:
        return
    yield _wrapped(rests.sentence, f" {'rests on':<9} ", " " * 11)
    for sentence in rests.not_asked:
        yield _wrapped(sentence, " " * 11, " " * 11)
    for what in dict.fromkeys(one.what for one in rests.unjudged):
        alike = [one for one in rests.unjudged if one.what == what]
        yield _cut(f" {'not on':<9} {many(sum(one.number for one in alike), 'claim')}: {what}")
        for one in alike[:REASONS]:
            yield _cut(f" {'':<10} {one}")
        if len(alike) > REASONS:
            yield f" {'':<10} … and {many(len(alike) - REASONS, 'more reason')}, in gate.md"


def _section(change: Change, differences: Sequence[Difference]) -> Iterator[str]:
    yield f"{str(change).upper():<12} {many(len(differences), 'claim')}, {of_differences(differences)}"
    all_lines = lines(differences)
    for line in all_lines[:LINES]:
        yield f" {line.head:<10} {line.sentence.rstrip('.')}"
        yield f" {'':<10} {line.cost}: {line.where}"
        if why := line.differences[0].why:
            yield f" {'':<10} {why}"
    yield from _rest(len(all_lines))


def _causes(change: Change, differences: Sequence[Difference]) -> Iterator[str]:
    yield f"{str(change).upper():<12} {many(len(differences), 'claim')}, {of_differences(differences)}"
    causes = by_cause(differences)
    for cause, alike in list(causes.items())[:LINES]:
        yield f" {cause}: {many(len(alike), 'claim')}, {of_differences(alike)}"
    yield from _rest(len(causes))


def by_cause(differences: Sequence[Difference]) -> dict[str, list[Difference]]:
    """Differences by the register's entry, or by their claim, those with most claims first."""
    alike: dict[str, list[Difference]] = {}
    for one in differences:
        cause = one.registered or one.sentence.rstrip(".")
        alike.setdefault(cause, []).append(one)
    return dict(sorted(alike.items(), key=lambda item: -len(item[1])))


def _rest(number: int) -> Iterator[str]:
    if number > LINES:
        yield f" … and {number - LINES} more such lines, in gate.md"


NEVER_MENDED = "[XTF-060](../findings/XTF-060.md) says why no later sync mends old metadata."


def drop_steps(gate: Gate) -> tuple[str, ...]:
    """How a user drops what the target's metadata is."""
    return (
        "Stop what reads the table, and the syncs.",
        "Drop the table from its catalog without purging its files: the data files are the source's own.",
        gate.written.dropped.how,
        "Sync with the new release, register the new metadata in the catalog, and start the readers again.",
    )


def markdown(gate: Gate) -> str:
    """The full page in Markdown, for a pull request."""
    parts = [
        f"# XTable {gate.before.release} to {gate.after.release}{gate.to}",
        "",
        f"**{gate.of_target(QUESTION)} {_capital(gate.of_target(gate.advice))}**: {gate.sentence}",
        "",
        *_answer_rows(gate),
        "| run | release | verdict | claims |",
        "|---|---|---|---|",
        *(_run_row(gate, place) for place in range(3)),
        *_made(gate),
        *(f"\n{note}" for note in gate.notes),
        *_rests_on(gate),
    ]
    for change in IN_FULL:
        if differences := gate.of(change):
            parts += ["", _title(change, differences), ""]
            parts += [*_HEAD, *(_row(line) for line in lines(differences))]
    for change in FOLDED:
        if differences := gate.of(change):
            parts += ["", _title(change, differences), "", *_CAUSES]
            parts += [_cause_row(gate, cause, alike) for cause, alike in by_cause(differences).items()]
    if gate.unfit:
        parts += ["", "## Could not run", "", *(f"- {cell(reason)}" for reason in gate.unfit)]
    if any(one.advice is UpgradeAdvice.DROP_METADATA for one in gate.answers):
        why = [NEVER_MENDED] if gate.target == DEFAULT else []  # the entry is about Iceberg's metadata
        steps = (f"{number}. {step}" for number, step in enumerate(drop_steps(gate), 1))
        parts += ["", f"## To drop the {gate.written.dropped.metadata}", "", *steps]
        parts += ["", gate.written.dropped.lost, *why]
    return "\n".join(parts) + "\n"


def summary(gate: Gate) -> str:
    """The same page for the summary of a CI job, cut after a whole line if it is larger than LARGEST."""
    whole = markdown(gate)
    if len(whole.encode()) <= LARGEST:
        return whole
    kept, rest = whole.encode()[: LARGEST - 100].rpartition(b"\n")[0].decode(), "The rest is in gate.md."
    return f"{kept}\n\n{rest}\n"


_HEAD = ["| | the claim | tables | affects | seen |", "|---|---|---|---|---|"]
_CAUSES = ["| cause | claims | affects | do |", "|---|---|---|---|"]
_COLUMNS = (
    *("source", "tables", "answer", "broken claims (rows lost or wrong)"),
    *("left behind in place", "no longer judged", "because of"),
)
_ANSWERS = [f"| {' | '.join(_COLUMNS)} |", "|---" * len(_COLUMNS) + "|"]


def _rests_on(gate: Gate) -> Iterator[str]:
    rests = gate.rests_on
    if rests is None:
        return
    yield from ["", "## What the answer rests on", "", rests.sentence, *rests.not_asked]
    yield f"\n{many(rests.nothing, 'claim')} compare nothing in either release, such as NaN counts without floats."
    if rests.unjudged:
        yield from ["", "It does not rest on these claims, which a run did not judge:", ""]
        yield from ["| why | run | claims | judged by FROM | claims' ids | tables |", "|---|---|---|---|---|---|"]
        yield from map(_unjudged_row, rests.unjudged)


def _unjudged_row(one: Unjudged) -> str:
    why, claims, tables = cell(f"{one.what}: {one.why}"), ", ".join(one.claims), ", ".join(one.tables)
    return f"| {why} | {', '.join(one.runs)} | {one.number:,} | {one.before:,} | {claims} | {tables} |"


def _title(change: Change, differences: Sequence[Difference]) -> str:
    return f"## {_capital(change)}: {many(len(differences), 'claim')}, {of_differences(differences)}"


def _answer_rows(gate: Gate) -> list[str]:
    rows = [
        f"| {one.kind} | {one.tables} | **{_capital(gate.of_target(one.advice))}** | {one.before} → {one.after} | "
        f"{one.left_behind if one.left_behind.claims else ''} | {one.unjudged or ''} | {cell(one.because)} |"
        for one in gate.answers
    ]
    every = (
        f"| all of them | {sum(one.tables for one in gate.answers)} | | {net(gate.answers).replace('->', '→')} | | | |"
    )
    return [*_ANSWERS, *rows, every, ""] if rows else []


def _cause_row(gate: Gate, cause: str, differences: Sequence[Difference]) -> str:
    title = f"{cause} {gate.titles[cause]}" if cause in gate.titles else cause
    do = cell(gate.to_do.get(cause, ""))
    return f"| {cell(title)} | {len(differences)} | {of_differences(differences)} | {do} |"


def _made(gate: Gate) -> Iterator[str]:
    """Date, versions and durations, so that a kept page can be judged and reproduced."""
    after = gate.after
    if after.finished is None or after.versions is None:
        return
    programs = [f"{name} {after.versions[name]}" for name in ("suite", "hudi", "spark") if name in after.versions]
    took = ", ".join(f"{run.name} {run.seconds / 60:.0f} min" for run in gate.runs if run.seconds is not None)
    yield f"\nMade {after.finished:%Y-%m-%d} with {', '.join(programs)}. It took: {took}."


def _run_row(gate: Gate, place: int) -> str:
    run = gate.runs[place]
    return f"| {run.name} | {run.release} | {run.verdict or ''} | {cell(run.unfit or ', '.join(_counts(run)))} |"


def _counts(run: Ran) -> list[str]:
    counts = asdict(run.counts) if run.counts else {}
    return [f"{number:,} {outcome.replace('_', ' ')}" for outcome, number in counts.items() if number]


def _row(line: DifferenceLine) -> str:
    one = line.differences[0]
    seen = one.finding.saw if one.finding else ""
    seen += f" ({one.why})" if one.why else ""
    tables = ", ".join(line.tables)
    return f"| {line.head} | {cell(line.sentence)} | {tables} | {line.cost} | {cell(seen)} |"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _head(one: Difference) -> str:
    """`UNSOUND XTF-012 duckdb`, `LOOSE -> UNSOUND`."""
    if one.finding is None:
        return ""
    verdict = str(one.finding.verdict)
    if one.change is Change.CHANGED and one.before and one.before.verdict != verdict:
        verdict = f"{one.before.verdict} -> {verdict}"
    return " ".join(part for part in (verdict, one.registered, one.reader) if part)


def _seen(one: Difference) -> str:
    return shape(one.finding.saw.replace(SubjectId.parse(one.table or "\0").dataset, "\0")) if one.finding else ""


def _wrapped(text: str, first: str = " ", then: str = "  ") -> str:
    return textwrap.fill(text, WIDTH, initial_indent=first, subsequent_indent=then, break_on_hyphens=False)


def _cut(line: str) -> str:
    """The line cut to WIDTH; gate.md and gate.json hold the full text."""
    return line if len(line) <= WIDTH else line[: WIDTH - 2].rpartition(" ")[0] + " …"

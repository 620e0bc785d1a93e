"""The gate on one page, for a terminal and in Markdown: worst first, similar differences in one line."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from xtable_audit.address import page_of
from xtable_audit.formats.installed import DEFAULT
from xtable_audit.model.figures import many
from xtable_audit.report.compare import Change, Difference
from xtable_audit.report.diff import Alike, by_cause, lines, measured
from xtable_audit.report.gate import Gate, Ran
from xtable_audit.report.gate_answers import SourceAnswer, Unjudged, UpgradeAdvice, net
from xtable_audit.report.summary import LARGEST
from xtable_audit.report.text import capital, cell, table

WIDTH = 100
LINES = 8
"""Maximum lines per kind of change on the terminal; Markdown and JSON have all of them."""
REASONS = 3
"""Maximum reasons per kind why claims were not judged, likewise."""


IN_FULL = (Change.NEW, Change.LEFT_BEHIND, Change.NEWLY_READ, Change.CHANGED, Change.GONE)
FOLDED = (Change.STILL, Change.FIXED)
"""Changes of which each cause is one line."""
QUESTION = "Is it safe to upgrade in place, or must the Iceberg metadata be dropped first?"


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
    for change in (*IN_FULL, *FOLDED):
        if found := gate.of(change):
            parts += ["", *map(_cut, _section(change, found))]
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
    yield f"{str(change).upper():<12} {measured(differences)}"
    every = by_cause(differences) if change in FOLDED else lines(differences)
    for one in every[:LINES]:
        if change in FOLDED:
            yield f" {one.name}: {measured(one.differences)}"
            continue
        yield f" {one.name:<10} {one.shown.sentence.rstrip('.')}"
        yield f" {'':<10} {one.cost}: {one.where}"
        if why := one.shown.why:
            yield f" {'':<10} {why}"
    yield from _rest(len(every))


def _rest(number: int) -> Iterator[str]:
    if number > LINES:
        yield f" … and {number - LINES} more such lines, in gate.md"


NEVER_MENDED = "XTF-060"
"""The page is read in many places: no address relative to it leads anywhere."""


def _never_mended() -> str:
    page = page_of(NEVER_MENDED)
    named = f"[{NEVER_MENDED}]({page})" if page else f"{NEVER_MENDED} (`docs/findings/{NEVER_MENDED}.md`)"
    return f"{named} says why no later sync mends old metadata."


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
        f"**{gate.of_target(QUESTION)} {capital(gate.of_target(gate.advice))}**: {gate.sentence}",
        "",
        *_answer_rows(gate),
        *table("| run | release | verdict | claims |", map(_run_row, gate.runs)),
        *_made(gate),
        *(f"\n{note}" for note in gate.notes),
        *_rests_on(gate),
    ]
    for change in (*IN_FULL, *FOLDED):
        if found := gate.of(change):
            parts += ["", f"## {capital(change)}: {measured(found)}", ""]
            if change in FOLDED:
                rows = (_cause_row(gate, one) for one in by_cause(found))
                parts += table("| cause | claims | affects | do |", rows)
            else:
                parts += table("| | the claim | tables | affects | seen |", map(_row, lines(found)))
    if gate.unfit:
        parts += ["", "## Could not run", "", *(f"- {cell(reason)}" for reason in gate.unfit)]
    if any(one.advice is UpgradeAdvice.DROP_METADATA for one in gate.answers):
        why = [_never_mended()] if gate.target == DEFAULT else []  # the entry is about Iceberg's metadata
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


ANSWERS = (
    "| source | tables | answer | broken claims (rows lost or wrong) | left behind in place | no longer judged "
    "| because of |"
)


def _rests_on(gate: Gate) -> Iterator[str]:
    rests = gate.rests_on
    if rests is None:
        return
    yield from ["", "## What the answer rests on", "", rests.sentence, *rests.not_asked]
    yield f"\n{many(rests.nothing, 'claim')} compare nothing in either release, such as NaN counts without floats."
    if rests.unjudged:
        yield from ["", "It does not rest on these claims, which a run did not judge:", ""]
        head = "| why | run | claims | judged by FROM | claims' ids | tables |"
        yield from table(head, map(_unjudged_row, rests.unjudged))


def _unjudged_row(one: Unjudged) -> Sequence[object]:
    why, runs = cell(f"{one.what}: {one.why}"), ", ".join(one.runs)
    return why, runs, f"{one.number:,}", f"{one.before:,}", ", ".join(one.claims), ", ".join(one.tables)


def _answer_rows(gate: Gate) -> list[str]:
    rows = [
        (
            *(one.kind, one.tables, f"**{capital(gate.of_target(one.advice))}**", f"{one.before} → {one.after}"),
            *(one.left_behind if one.left_behind.claims else "", one.unjudged or "", cell(one.because)),
        )
        for one in gate.answers
    ]
    every = (
        f"| all of them | {sum(one.tables for one in gate.answers)} | | {net(gate.answers).replace('->', '→')} | | | |"
    )
    return [*table(ANSWERS, rows), every, ""] if rows else []


def _cause_row(gate: Gate, cause: Alike) -> Sequence[object]:
    title = f"{cause.name} {gate.titles[cause.name]}" if cause.name in gate.titles else cause.name
    return cell(title), len(cause.differences), cause.cost, cell(gate.to_do.get(cause.name, ""))


def _made(gate: Gate) -> Iterator[str]:
    """Date, versions and durations, so that a kept page can be judged and reproduced."""
    after = gate.after
    if after.finished is None or after.versions is None:
        return
    programs = [f"{name} {after.versions[name]}" for name in ("suite", "hudi", "spark") if name in after.versions]
    took = ", ".join(f"{run.name} {run.seconds / 60:.0f} min" for run in gate.runs if run.seconds is not None)
    yield f"\nMade {after.finished:%Y-%m-%d} with {', '.join(programs)}. It took: {took}."


def _run_row(run: Ran) -> Sequence[object]:
    return run.name, run.release, run.verdict or "", cell(run.unfit or ", ".join(_counts(run)))


def _counts(run: Ran) -> list[str]:
    counts = asdict(run.counts) if run.counts else {}
    return [f"{number:,} {outcome.replace('_', ' ')}" for outcome, number in counts.items() if number]


def _row(line: Alike) -> Sequence[object]:
    one = line.shown
    seen = one.finding.saw if one.finding else ""
    seen += f" ({one.why})" if one.why else ""
    return line.name, cell(one.sentence), ", ".join(line.tables), line.cost, cell(seen)


def _wrapped(text: str, first: str = " ", then: str = "  ") -> str:
    return textwrap.fill(text, WIDTH, initial_indent=first, subsequent_indent=then, break_on_hyphens=False)


def _cut(line: str) -> str:
    """The line cut to WIDTH; gate.md and gate.json hold the full text."""
    return line if len(line) <= WIDTH else line[: WIDTH - 2].rpartition(" ")[0] + " …"

"""The terminal's scorecard, which a data engineer reads first. Fits 100 columns and ends with the verdict in words."""

from __future__ import annotations

from itertools import groupby

from rich.console import Console, Group, RenderableType
from rich.text import Text

from xtable_audit.model.figures import many
from xtable_audit.model.finding import SEVERITY, Finding, worst
from xtable_audit.report.answers import trials, wrong_answers
from xtable_audit.report.document import Document, Outcome, RunVerdict, SelectionRow
from xtable_audit.report.layers import skipping
from xtable_audit.report.matrix import LEGEND, in_full, in_sum, readers_of
from xtable_audit.report.set_aside import set_aside

WIDTH = 100
"""Width in terminal columns."""


def scorecard(document: Document) -> RenderableType:
    """Selections with readers' results, known findings, claims that could not run, and the verdict."""
    parts: list[RenderableType] = []
    in_brief: list[SelectionRow] = []
    for _, group in groupby(document.selections, key=lambda row: row.question):
        rows = list(group)
        if len({row.predicate for row in rows}) > 1:
            in_brief += rows
        else:
            parts += in_full(rows)
    if in_brief:
        parts += in_sum(in_brief)
    if readers_of(document.selections):
        parts.append(Text(LEGEND, style="dim"))
    parts += [
        *skipping(document),
        *wrong_answers(document),
        Text(""),
        *_known(document),
        *_reasons(document),
        *_applies(document),
        *(Text(f" aside    {line}", style="yellow") for line in set_aside(document)),
        *trials(document),
        *_tightness(document),
        _counts(document),
        _verdict(document),
    ]
    return Group(*parts)


def print_scorecard(console: Console, document: Document) -> None:
    console.print(scorecard(document), soft_wrap=False)


def _known(document: Document) -> list[Text]:
    """One line per entry, worst first."""
    by_entry: dict[str, list[Finding]] = {}
    for result in document.claims:
        if result.outcome is Outcome.KNOWN and result.finding:
            by_entry.setdefault(str(result.finding.registered), []).append(result.finding)
    lines = []
    for entry, findings in by_entry.items():
        verdict = worst([finding.verdict for finding in findings])
        first = next(finding for finding in findings if finding.verdict is verdict)
        who = f"{first.reader}, " if first.reader else ""
        tables = many(len({finding.table for finding in findings}), "table")
        title = document.register.get(entry, f"fails: {first.sentence}")
        what = f"{title} ({who}{tables}, {many(len(findings), 'claim')})"
        text = Text(f" known    {entry}  {verdict:<15} {what}", no_wrap=True, overflow="ellipsis")
        lines.append((SEVERITY.index(verdict), entry, text))
    return [text for *_, text in sorted(lines, key=lambda line: line[:2])]


def _reasons(document: Document) -> list[Text]:
    """Each reason once, with the number of claims it affects."""
    stopped: dict[tuple[Outcome, str], int] = {}
    for result in document.claims:
        if result.outcome in (Outcome.INCONCLUSIVE, Outcome.ERROR, Outcome.GONE):
            reason = (result.outcome, (result.reason or "").removeprefix("Skipped: ").removeprefix("inconclusive: "))
            stopped[reason] = stopped.get(reason, 0) + 1
    return [
        Text(f" {outcome:<8} {many(count, 'claim')}: {reason}", style="yellow")
        for (outcome, reason), count in stopped.items()
    ]


FEW_APPLY = 0.5
"""The scorecard warns of a table if a smaller share of its claims than this compares anything."""


def _applies(document: Document) -> list[Text]:
    """Warns of tables on which less than FEW_APPLY of the claims have anything to compare."""
    about: dict[str, list[Outcome]] = {}
    for result in document.claims:
        if result.table is not None:
            about.setdefault(result.table, []).append(result.outcome)
    lines = []
    for table, outcomes in about.items():
        compared = sum(outcome is not Outcome.NOT_APPLICABLE for outcome in outcomes)
        if compared < FEW_APPLY * len(outcomes):
            words = f" little    {table}: only {compared} of {many(len(outcomes), 'claim')} have anything to compare"
            lines.append(Text(words, style="yellow"))
    return lines


TIGHT = 0.95
"""Tables with at least this score are not listed."""


def _tightness(document: Document) -> list[Text]:
    """One score per table, averaged over the columns by which exact bounds skip files; the loosest first."""
    scores: dict[str, list[float]] = {}
    for row in document.tightness:
        if row.score is not None:
            scores.setdefault(row.table, []).append(row.score)
    if not scores:
        return []
    means = {table: sum(of) / len(of) for table, of in scores.items()}
    loose = [f"{table} {mean:.2f}" for table, mean in sorted(means.items(), key=lambda one: one[1]) if mean < TIGHT]
    others = many(len(means) - len(loose), "table") + f" {TIGHT} or more"
    lines = ["  ".join(loose[start : start + 3]) for start in range(0, len(loose), 3)]
    head = " tight    files that the bounds let a point skip, as a share of what exact ones would:"
    return [Text("\n          ".join([head, *lines, others]), no_wrap=True, overflow="ellipsis")]


FEW = 3
"""Maximum number of entries that the count names."""


def _counts(document: Document) -> Text:
    entries = {str(r.finding.registered) for r in document.claims if r.outcome is Outcome.KNOWN and r.finding}
    parts = [many(len(document.claims), "claim"), f"{document.count(Outcome.HELD):,} held"]
    if document.count(Outcome.FINDING):
        parts.append(many(document.count(Outcome.FINDING), "new finding"))
    if document.count(Outcome.GONE):
        parts.append(f"{document.count(Outcome.GONE)} registered but gone")
    named = ", ".join(sorted(entries)) if len(entries) <= FEW else f"{len(entries)} entries of the register"
    parts.append(f"{document.count(Outcome.KNOWN)} known ({named})" if entries else "0 known")
    if document.count(Outcome.NOT_APPLICABLE):
        parts.append(f"{document.count(Outcome.NOT_APPLICABLE):,} not applicable")
    parts.append(f"{document.count(Outcome.INCONCLUSIVE)} could not run")
    if document.count(Outcome.ERROR):
        parts.append(many(document.count(Outcome.ERROR), "error") + " of the suite")
    return Text(" " + " · ".join(parts))


WORDS = {
    RunVerdict.CONFORMANT: ("green", "every claim that was selected holds, or is a known finding"),
    RunVerdict.FINDINGS: ("red", "the metadata or a reader breaks a claim; the findings are above"),
    RunVerdict.INCONCLUSIVE: ("yellow", "something selected could not run; that is no pass"),
    RunVerdict.ERROR: ("red", "the suite itself failed, or was cut short"),
}


def _verdict(document: Document) -> Text:
    style, words = WORDS[document.verdict]
    text = Text.assemble(" verdict  ", (str(document.verdict), f"bold {style}"), f": {words}")
    translation = document.translation
    if translation.mode == "recorded":
        text.append(
            f"\n XTable {translation.release} was NOT run: its tables are a recording ({translation.reason}). "
            "A recorded run answers no gate.",
            style="yellow",
        )
    return text

"""The terminal's scorecard: what a data engineer reads first. Fits 100 columns and ends with the verdict in words."""

from __future__ import annotations

from itertools import groupby

from rich.console import Console, Group, RenderableType
from rich.text import Text

from audit.report.answers import trials, wrong_answers
from audit.report.document import ClaimResult, Document, Outcome, RunVerdict, SelectionRow
from audit.report.matrix import LEGEND, in_full, in_sum, readers_of


def scorecard(document: Document) -> RenderableType:
    """Selections, what readers did with them, what the claims came to, what could not run, and the verdict."""
    parts: list[RenderableType] = []
    many: list[SelectionRow] = []
    for _, asked in groupby(document.selections, key=lambda row: row.question):
        rows = list(asked)
        if len({row.predicate for row in rows}) > 1:
            many += rows
        else:
            parts += in_full(rows)
    if many:
        parts += in_sum(many)
    if readers_of(document.selections):
        parts.append(Text(LEGEND, style="dim"))
    parts += [
        *wrong_answers(document),
        Text(""),
        *_known(document),
        *_reasons(document),
        *trials(document),
        *_tightness(document),
        _counts(document),
        _verdict(document),
    ]
    return Group(*parts)


def print_scorecard(console: Console, document: Document) -> None:
    console.print(scorecard(document), soft_wrap=False)


def _known(document: Document) -> list[Text]:
    by_entry: dict[str, list[ClaimResult]] = {}
    for result in document.claims:
        if result.outcome is Outcome.KNOWN and result.finding:
            by_entry.setdefault(str(result.finding["registered"]), []).append(result)
    lines = []
    for entry, results in sorted(by_entry.items()):
        finding = results[0].finding or {}
        who = f"{finding['reader']}, " if finding["reader"] else ""
        tables = len({result.table for result in results})
        what = f"{finding['verdict']}, {who}{tables} tables, {len(results)} claims; not so: {finding['claim']}"
        lines.append(Text(f" known    {entry}  {what}"))
    return lines


def _reasons(document: Document) -> list[Text]:
    """Each reason once, with how many claims it stopped."""
    stopped: dict[tuple[Outcome, str], int] = {}
    for result in document.claims:
        if result.outcome in (Outcome.INCONCLUSIVE, Outcome.ERROR, Outcome.GONE):
            reason = (result.outcome, (result.reason or "").removeprefix("Skipped: ").removeprefix("inconclusive: "))
            stopped[reason] = stopped.get(reason, 0) + 1
    return [
        Text(f" {outcome:<8} {_many(count, 'claim')}: {reason}", style="yellow")
        for (outcome, reason), count in stopped.items()
    ]


def _tightness(document: Document) -> list[Text]:
    """A score a table, averaged over the columns by which exact bounds could skip anything."""
    scores: dict[str, list[float]] = {}
    for row in document.tightness:
        if row["score"] is not None:
            scores.setdefault(row["table"], []).append(float(row["score"]))
    if not scores:
        return []
    means = [f"{table} {sum(of) / len(of):.2f}" for table, of in scores.items()]
    lines = ["  ".join(means[start : start + 3]) for start in range(0, len(means), 3)]
    head = " tight    files that the bounds let a point skip, as a share of what exact ones would:"
    return [Text("\n          ".join([head, *lines]))]


def _counts(document: Document) -> Text:
    entries = {r.finding["registered"] for r in document.claims if r.outcome is Outcome.KNOWN and r.finding}
    parts = [_many(len(document.claims), "claim"), f"{document.count(Outcome.HELD):,} held"]
    if document.count(Outcome.FINDING):
        parts.append(_many(document.count(Outcome.FINDING), "new finding"))
    if document.count(Outcome.GONE):
        parts.append(f"{document.count(Outcome.GONE)} registered but gone")
    parts.append(f"{document.count(Outcome.KNOWN)} known ({', '.join(sorted(entries))})" if entries else "0 known")
    parts.append(f"{document.count(Outcome.INCONCLUSIVE)} could not run")
    if document.count(Outcome.ERROR):
        parts.append(_many(document.count(Outcome.ERROR), "error") + " of the suite")
    return Text(" " + " · ".join(parts))


def _many(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")


WORDS = {
    RunVerdict.CONFORMANT: ("green", "every claim that was selected holds, or is a known finding"),
    RunVerdict.FINDINGS: ("red", "the metadata or a reader breaks a claim; the findings are above"),
    RunVerdict.INCONCLUSIVE: ("yellow", "something selected could not run; that is no pass"),
    RunVerdict.ERROR: ("red", "the suite itself failed, or was cut short"),
}


def _verdict(document: Document) -> Text:
    style, words = WORDS[document.verdict]
    said = Text.assemble(" verdict  ", (str(document.verdict), f"bold {style}"), f": {words}")
    translation = document.translation
    if translation["mode"] == "recorded":
        said.append(
            f"\n XTable {translation['release']} was NOT run: its tables are a recording ({translation['reason']}). "
            "A recorded run answers no gate.",
            style="yellow",
        )
    return said

"""The scorecard that -v prints above the first screen: tables, readers, findings, layers. Fits 100 columns."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from xtable_audit.model.figures import many
from xtable_audit.model.finding import SEVERITY
from xtable_audit.model.outcome import Outcome
from xtable_audit.report.beside_findings import UNRUN, reasons, set_aside
from xtable_audit.report.document import Document, LayerRow, SelectionRow
from xtable_audit.report.groups import known_findings
from xtable_audit.report.matrix import LEGEND, in_full, in_sum, readers_of
from xtable_audit.report.reader_answers import trials, wrong_answers

SKIPPING_OF = {"off": "Hudi, skipping off", "unlisted": "Hudi, no metadata table", "on": "Hudi, skipping on"}
COLUMNS = ("live", "partition\nstatistics", "column stat.\nor bounds", "read", "rows")


def skipping(document: Document) -> list[RenderableType]:
    """One table per predicate run with Hudi's own reader; empty if there are none."""
    by_predicate = groupby(sorted(document.layers, key=lambda row: row.predicate), key=lambda row: row.predicate)
    return [part for predicate, rows in by_predicate for part in _side_by_side(document, predicate, list(rows))]


def _side_by_side(document: Document, predicate: str, rows: list[LayerRow]) -> list[RenderableType]:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("table", "by"):
        table.add_column(name, no_wrap=True)
    for name in COLUMNS:
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        layers = (row.live, row.after_partition_statistics, row.after_column_statistics, row.read, row.rows)
        star = " *" if row.mode == "recorded" else ""
        table.add_row(row.table + star, SKIPPING_OF[row.asked], *map(_figure, layers))
    for selection in document.selections:
        if selection.predicate == predicate:
            for reader, seen in selection.readers.items():
                if not seen.refused:
                    layers = (selection.live, None, seen.planned, seen.read, seen.rows)
                    table.add_row(selection.table, f"Iceberg, {reader}", *map(_figure, layers))
    title = Text(f"\nWHERE {predicate}: base files left by each layer of skipping", style="bold")
    legend = Text("* recorded answers; --hudi live queries again", style="yellow")
    return [title, table, *([legend] if any(row.mode == "recorded" for row in rows) else [])]


def _figure(number: int | None) -> str:
    return "-" if number is None else f"{number:,}"


def scorecard(document: Document) -> RenderableType:
    """Selections with readers' results, known findings, and claims that could not run."""
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
    ]
    return Group(*parts)


def print_scorecard(console: Console, document: Document) -> None:
    console.print(scorecard(document), soft_wrap=False)


def _known(document: Document) -> Iterator[Text]:
    """One line per entry, worst first."""
    for one in sorted(known_findings(document), key=lambda one: (SEVERITY.index(one.verdict), one.name)):
        worst = next(finding for finding in one.alike if finding.verdict is one.verdict)
        who = f"{worst.reader}, " if worst.reader else ""
        tables, claims = many(len(one.tables), "table"), many(len(one.results), "claim")
        what = f" known    {one.name}  {one.verdict:<15} {one.title} ({who}{tables}, {claims})"
        yield Text(what, no_wrap=True, overflow="ellipsis")


def _reasons(document: Document) -> list[Text]:
    """Each reason once, with the number of claims it affects."""
    return [
        Text(f" {outcome:<8} {many(count, 'claim')}: {reason}", style="yellow")
        for (outcome, reason), count in reasons(document, *UNRUN, Outcome.GONE)
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

"""The matrix of readers and tables: live, planned and read files, and rows. Red marks a difference from the judge."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from xtable_audit.model.figures import many
from xtable_audit.model.subject_id import SubjectId
from xtable_audit.report.document import Reading, SelectionRow

LEGEND = (
    "readers: files live/planned/read and rows; live and planned as the reader reports them,\n"
    "read by the store's request log; - not reported, ✗ refused, · not run, red: differs from the judge"
)


def in_full(rows: list[SelectionRow]) -> list[RenderableType]:
    """One predicate: the judge's table, and below it one row per reader."""
    parts: list[RenderableType] = [Text(f"\nWHERE {rows[0].predicate}", style="bold"), _judged(rows)]
    if any(row.mode == "recorded" for row in rows):
        parts.append(Text("* a recording", style="yellow"))
    if readers_of(rows):
        parts += [Text(""), _matrix(rows)]
    return parts


def in_sum(rows: list[SelectionRow]) -> list[RenderableType]:
    """Many predicates: per reader and table, the number of right answers, and read and planned files."""
    tables = {row.table: [other for other in rows if other.table == row.table] for row in rows}
    number = max(len(rows_of_table) for rows_of_table in tables.values())
    words = ", ".join(dict.fromkeys(row.question for row in rows))
    title = f"\n{many(number, 'predicate')} a table, on {words}: right answers, files read/planned"
    parts: list[RenderableType] = [Text(title, style="bold")]
    return [*parts, _sums(tables)] if readers_of(rows) else parts


def readers_of(rows: Iterable[SelectionRow]) -> list[str]:
    return list(dict.fromkeys(reader for row in rows for reader in row.readers))


def _judged(rows: list[SelectionRow]) -> Table:
    table = _table("table", "live", "planned", "matching", "rows to scan", "returned")
    for row in rows:
        figures = [row.live, row.planned, row.matching, row.rows_to_scan, row.rows_returned]
        table.add_row(row.table + (" *" if row.mode == "recorded" else ""), *(f"{n:,}" for n in figures))
    return table


def _matrix(rows: list[SelectionRow]) -> Table:
    table = _table("reader", *(_on_two_lines(row.table) for row in rows))
    for reader in readers_of(rows):
        table.add_row(reader, *(_cell(row, row.readers.get(reader)) for row in rows))
    return table


def _cell(row: SelectionRow, seen: Reading | None) -> Text:
    if seen is None:
        return Text("·", style="dim")
    if seen.refused:
        return Text("✗", style="red")
    files = "/".join("-" if n is None else str(n) for n in (seen.live, seen.planned, seen.read))
    return Text(f"{files} {seen.rows:,}", style="" if agrees(row, seen) else "red")


def _sums(tables: dict[str, list[SelectionRow]]) -> Table:
    table = _table("reader", *(_on_two_lines(name) for name in tables))
    for reader in readers_of([row for rows in tables.values() for row in rows]):
        table.add_row(reader, *(_sum(reader, rows) for rows in tables.values()))
    return table


def _sum(reader: str, rows: list[SelectionRow]) -> Text:
    readings = [(row, row.readers[reader]) for row in rows if reader in row.readers]
    if not readings:
        return Text("·", style="dim")
    refused = sum(seen.refused for _, seen in readings)
    right = sum(seen.rows == row.rows_returned for row, seen in readings)
    if refused == len(readings):
        return Text("✗", style="red")
    read = sum(seen.read or 0 for _, seen in readings)
    planned = sum(row.planned for row, _ in readings)
    return Text(f"{right} right {read}/{planned}", style="" if right == len(readings) else "red")


def agrees(row: SelectionRow, seen: Reading) -> bool:
    """Whether the reader's known numbers are what the judge expects of a reader that trusts the metadata."""
    expected = (row.live, row.planned, row.planned, row.rows_returned)
    reported = (seen.live, seen.planned, seen.read, seen.rows)
    return all(number is None or number == wanted for number, wanted in zip(reported, expected, strict=True))


def _table(first: str, *others: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(first, no_wrap=True)
    for name in others:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _on_two_lines(table: str) -> str:
    dataset = SubjectId.parse(table).dataset
    return f"{dataset}\n{table.removeprefix(dataset)}"

"""The matrix of readers and tables: live, planned and read files, and rows. Red marks a difference from the judge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from xtable_audit.model.figures import many
from xtable_audit.model.subject_id import SubjectId
from xtable_audit.report.document import Reading, SelectionRow

WIDTH = 100
"""Columns of a terminal that the matrix fits in."""
READER, GAP = "reader", 2
LEGEND = (
    "readers: files live/planned/read and rows; live and planned as the reader reports them,\n"
    "read by the store's request log; - not reported, ✗ refused, · not run, red: differs from the judge"
)


def in_full(rows: list[SelectionRow]) -> list[RenderableType]:
    """One predicate: the judge's table, and below it one row per reader."""
    parts: list[RenderableType] = [Text(f"\nWHERE {rows[0].predicate}", style="bold"), _judged(rows)]
    if any(row.mode == "recorded" for row in rows):
        parts.append(Text("* a recording", style="yellow"))
    for grid in _grids(rows, lambda reader, mine: _cell(mine[0], mine[0].readers.get(reader))):
        parts += [Text(""), grid]
    return parts


def in_sum(rows: list[SelectionRow]) -> list[RenderableType]:
    """Many predicates: per reader and table, the number of right answers, and read and planned files."""
    number = max(len(rows_of_table) for rows_of_table in by_table(rows).values())
    words = ", ".join(dict.fromkeys(row.question for row in rows))
    title = f"\n{many(number, 'predicate')} a table, on {words}: right answers, files read/planned"
    parts: list[RenderableType] = [Text(title, style="bold")]
    for number, grid in enumerate(_grids(rows, _sum)):
        parts += [Text(""), grid] if number else [grid]
    return parts


def readers_of(rows: Iterable[SelectionRow]) -> list[str]:
    return list(dict.fromkeys(reader for row in rows for reader in row.readers))


def by_table(rows: Iterable[SelectionRow]) -> dict[str, list[SelectionRow]]:
    found: dict[str, list[SelectionRow]] = {}
    for row in rows:
        found.setdefault(row.table, []).append(row)
    return found


def by_target(rows: Iterable[SelectionRow]) -> dict[str, list[SelectionRow]]:
    """The rows by the format of their tables' metadata: each format has readers of its own."""
    found: dict[str, list[SelectionRow]] = {}
    for row in rows:
        found.setdefault(SubjectId.parse(row.table).target, []).append(row)
    return found


def _judged(rows: list[SelectionRow]) -> Table:
    table = _table("table", "live", "planned", "matching", "rows to scan", "returned")
    for row in rows:
        figures = [row.live, row.planned, row.matching, row.rows_to_scan, row.rows_returned]
        table.add_row(row.table + (" *" if row.mode == "recorded" else ""), *(f"{n:,}" for n in figures))
    return table


def _grids(rows: Sequence[SelectionRow], cell: Callable[[str, list[SelectionRow]], Text]) -> Iterator[Table]:
    """Readers by tables: a grid for each format that was read, and another where one gets too wide.

    `cell` shows what a reader did on the rows of one table.
    """
    for of_target in by_target(rows).values():
        readers = readers_of(of_target)
        columns = [
            (_on_two_lines(name), [cell(reader, mine) for reader in readers])
            for name, mine in by_table(of_target).items()
        ]
        for some in _fitting(columns, WIDTH - max(map(len, (READER, *readers)))) if readers else ():
            grid = _table(READER, *(head for head, _ in some))
            for place, reader in enumerate(readers):
                grid.add_row(reader, *(cells[place] for _, cells in some))
            yield grid


Column = tuple[str, list[Text]]
"""Head and cells."""


def _fitting(columns: Sequence[Column], room: int) -> Iterator[list[Column]]:
    """The columns in their order, as many at a time as have room."""
    some: list[Column] = []
    used = 0
    for head, cells in columns:
        width = GAP + max(map(len, (*head.splitlines(), *(one.plain for one in cells))))
        if some and used + width > room:
            yield some
            some, used = [], 0
        some.append((head, cells))
        used += width
    if some:
        yield some


def _cell(row: SelectionRow, seen: Reading | None) -> Text:
    if seen is None:
        return Text("·", style="dim")
    if seen.refused:
        return Text("✗", style="red")
    files = "/".join("-" if n is None else str(n) for n in (seen.live, seen.planned, seen.read))
    return Text(f"{files} {seen.rows:,}", style="" if agrees(row, seen) else "red")


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
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0))
    table.add_column(first, no_wrap=True)
    for name in others:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _on_two_lines(table: str) -> str:
    dataset = SubjectId.parse(table).dataset
    return f"{dataset}\n{table.removeprefix(dataset)}"

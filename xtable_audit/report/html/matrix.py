"""Readers by tables: files and rows of each reader for one predicate, with what differs from the judge marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xtable_audit.report.document import Document, Reading, SelectionRow
from xtable_audit.report.matrix import agrees, by_table, by_target, readers_of

TABLES = 12
"""Maximum tables of one matrix."""


@dataclass(frozen=True)
class ReaderCell:
    text: str
    right: bool
    refused: bool = False


@dataclass(frozen=True)
class ReaderMatrix:
    question: str
    words: str
    tables: tuple[str, ...]
    rows: tuple[tuple[str, tuple[ReaderCell, ...]], ...]


def matrices(document: Document) -> tuple[ReaderMatrix, ...]:
    """One a question that readers answered, and a format of tables: each format has readers of its own."""
    of: dict[str, list[SelectionRow]] = {}
    for row in document.selections:
        if row.readers:
            of.setdefault(row.question, []).append(row)
    return tuple(_matrix(question, mine) for question, rows in of.items() for mine in by_target(rows).values())


def _matrix(question: str, rows: Sequence[SelectionRow]) -> ReaderMatrix:
    of_table = by_table(rows)
    tables = tuple(of_table)[:TABLES]
    single = all(len(of_table[table]) == 1 for table in tables)
    words = (
        f"WHERE {rows[0].predicate}: files live/planned/read, and rows; - is not reported"
        if single
        else f"{len(of_table[tables[0]]):,} predicates a table: right answers, and files read of files planned"
    )
    cells = (
        (reader, tuple(_cell(of_table[table], reader, single=single) for table in tables))
        for reader in readers_of(rows)
    )
    return ReaderMatrix(question, words, tables, tuple(cells))


def _cell(rows: Sequence[SelectionRow], reader: str, *, single: bool) -> ReaderCell:
    seen = [(row, row.readers[reader]) for row in rows if reader in row.readers]
    if not seen:
        return ReaderCell("not run", right=True)
    if all(reading.refused for _, reading in seen):
        return ReaderCell("refuses", right=False, refused=True)
    if single:
        row, reading = seen[0]
        return ReaderCell(_one(reading), agrees(row, reading))
    refused = sum(reading.refused for _, reading in seen)
    right = sum(reading.rows == row.rows_returned for row, reading in seen)
    read, planned = sum(reading.read or 0 for _, reading in seen), sum(row.planned for row, _ in seen)
    files = f"{refused:,} refused" if refused else f"{read:,}/{planned:,}"
    return ReaderCell(f"{right:,} right, {files}", right == len(seen))


def _one(reading: Reading) -> str:
    files = "/".join(
        "-" if number is None else f"{number:,}" for number in (reading.live, reading.planned, reading.read)
    )
    return f"{files} · {reading.rows:,}" if reading.rows is not None else files

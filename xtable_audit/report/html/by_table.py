"""Claims by tables, and readers by tables: the two matrices of the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from xtable_audit.model.finding import SEVERITY, Verdict
from xtable_audit.model.outcome import FAILS, Outcome
from xtable_audit.model.result import ClaimResult
from xtable_audit.report.document import Document, Reading, SelectionRow
from xtable_audit.report.groups import FindingGroup
from xtable_audit.report.matrix import agrees, by_table, by_target, readers_of

CELLS = 200
"""Maximum cells of the map."""
OTHERS = "others"
RAN = (Outcome.HELD, Outcome.GONE, *FAILS)


@dataclass(frozen=True)
class Cell:
    ran: int
    """Claims that could be checked."""
    failed: int
    follow: int
    """Of the failed ones, those that fail only because their table cannot be read."""
    verdict: Verdict | None
    """The worst of its findings; None if nothing fails."""
    anchor: str
    """The group of that finding."""
    unknown: int
    """Claims that could not run."""


@dataclass(frozen=True)
class Heat:
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[Cell, ...], ...]
    are_kinds: bool
    """Whether a column is a kind of tables, by the first word of their names; else it is one table."""


def heat(document: Document, found: Sequence[FindingGroup]) -> Heat | None:
    """None for a document of one table, or without claims about tables."""
    results = [one for one in document.claims if one.table]
    tables = list(dict.fromkeys(str(one.table) for one in results))
    if len(tables) < 2:
        return None
    rows = tuple(dict.fromkeys(_family(one) for one in results if one.outcome is not Outcome.NOT_APPLICABLE))
    most = max(CELLS // max(len(rows), 1), 1)
    named = {table: table for table in tables}
    kinds = len(tables) > most
    if kinds:
        named = {table: table.split("-")[0].split("_")[0] for table in tables}
        common = [name for name, _ in Counter(named.values()).most_common()]
        if len(common) > most:
            named = {table: name if name in common[: most - 1] else OTHERS for table, name in named.items()}
    columns = tuple(dict.fromkeys(named.values()))
    of: dict[tuple[str, str], list[ClaimResult]] = {}
    for one in results:
        of.setdefault((_family(one), named[str(one.table)]), []).append(one)
    anchors = {id(finding): group.anchor for group in found for finding in group.findings}
    cells = tuple(tuple(_cell(of.get((row, column), []), anchors) for column in columns) for row in rows)
    return Heat(rows, columns, cells, kinds)


def _family(result: ClaimResult) -> str:
    """`bounds`, of a test in suites/bounds; else the claim itself."""
    parts = result.test.partition("::")[0].split("/")
    return parts[-2] if len(parts) > 1 else result.claim


def _cell(results: Sequence[ClaimResult], anchors: dict[int, str]) -> Cell:
    failing = [one for one in results if one.outcome in FAILS]
    own = [one.finding for one in failing if one.finding and id(one.finding) in anchors]
    worst = min(own, key=lambda one: SEVERITY.index(one.verdict), default=None)
    return Cell(
        ran=sum(one.outcome in RAN for one in results),
        failed=len(failing),
        follow=len(failing) - len(own),
        verdict=worst.verdict if worst else None,
        anchor=anchors[id(worst)] if worst else "",
        unknown=sum(one.outcome in (Outcome.INCONCLUSIVE, Outcome.ERROR) for one in results),
    )


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
        (reader, tuple(_of_reader(of_table[table], reader, single=single) for table in tables))
        for reader in readers_of(rows)
    )
    return ReaderMatrix(question, words, tables, tuple(cells))


def _of_reader(rows: Sequence[SelectionRow], reader: str, *, single: bool) -> ReaderCell:
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

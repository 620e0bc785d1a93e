"""The matrices of the page: claims by tables, readers by tables, and findings by releases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from xtable_audit.model.finding import SEVERITY, Verdict
from xtable_audit.model.outcome import FAILS, Outcome
from xtable_audit.model.result import ClaimResult
from xtable_audit.register.entry import base_version, is_numbered
from xtable_audit.report.compare import HUDIS_INDEXES
from xtable_audit.report.document import Document, KnownRelease, MainBranch, Reading, Registered, SelectionRow
from xtable_audit.report.groups import FindingGroup
from xtable_audit.report.html.picture import MARKS
from xtable_audit.report.matrix import agrees, by_table, by_target, readers_of
from xtable_audit.report.release_states import MAIN

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


# Findings by releases: what each known finding does in each release that the register covers.

XTABLE, HUDI = "xtable", "hudi"
NAMES = {XTABLE: "XTable", HUDI: HUDIS_INDEXES}
"""The components whose releases the register covers, in the order of the page, by what the findings are of."""
WORDS = (
    "By the register of known findings. Below each release is the day of its tag's commit, or of "
    "Hudi's, that on which its jar was built. What is said of main "
    "comes from a run of the finding's reproduction or, with “by reading”, from its code at that commit."
)
COMMIT = 7
"""Digits of a commit."""


@dataclass(frozen=True)
class ReleaseColumn:
    release: str
    under: tuple[str, ...]
    """Its day, as in ISO 8601; of main, its commit and the day on which it was read.

    Of the run's own release, that it is.
    """


@dataclass(frozen=True)
class ReleaseState:
    verdict: Verdict | None
    """None if the finding is not there, or if that is not known."""
    known: bool
    only_read: bool = False
    """Whether the release was not run for it: its code was read."""

    @property
    def words(self) -> str:
        if not self.known:
            return "not known"
        return (self.verdict.words if self.verdict else "not there") + (", by reading" if self.only_read else "")


@dataclass(frozen=True)
class ReleaseRow:
    id: str
    title: str
    href: str
    states: tuple[ReleaseState, ...]


@dataclass(frozen=True)
class Grid:
    title: str
    columns: tuple[ReleaseColumn, ...]
    rows: tuple[ReleaseRow, ...]

    @property
    def present(self) -> tuple[int, ...]:
        """How many of the findings each release has."""
        return tuple(
            sum(row.states[place].verdict is not None for row in self.rows) for place in range(len(self.columns))
        )

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Those of the picture, worst first."""
        return tuple(one for one in SEVERITY if any(one is state.verdict for row in self.rows for state in row.states))

    @property
    def unknown(self) -> bool:
        return any(not one.known for row in self.rows for one in row.states)


def of_findings(document: Document, found: Sequence[FindingGroup]) -> Iterator[Grid]:
    """Of the document's known findings, each with a link to its group."""
    anchors = {group.name: group.anchor for group in found if not group.new}
    here = {id: one for id, one in document.register.items() if id in anchors}
    release = document.translation.release if document.own_table is None else ""
    mains = {XTABLE: document.main, HUDI: document.hudi_main}
    return grids(here, document.releases, mains, lambda id: f"#{anchors[id]}", release)


def grids(
    register: Mapping[str, Registered],
    releases: Mapping[str, Sequence[KnownRelease]],
    mains: Mapping[str, MainBranch | None],
    href: Callable[[str], str],
    here: str = "",
) -> Iterator[Grid]:
    """A picture for each component, or several if it has more than MARKS marks.

    `href`: where an id leads. `here`: the release of XTable that was run, if one was.

    The worst findings first, by the newest release that has them; those that no release has any more last.
    """
    for component, name in NAMES.items():
        ran = str(base_version(here)) if component == XTABLE and is_numbered(here) else ""
        columns = [
            ReleaseColumn(one.version, (one.day, *(("this run",) if one.version == ran else ())))
            for one in releases.get(component, ())
        ]
        of = {id: one for id, one in register.items() if one.component == component}
        if not columns or not of:
            continue
        if main := mains.get(component):
            columns.append(ReleaseColumn(MAIN, (main.commit[:COMMIT], f"read {main.read}")))
        rows = [_row(id, one, columns, href(id)) for id, one in of.items()]
        rows.sort(key=_order)
        most = max(MARKS // len(columns), 1)
        size = ceil(len(rows) / ceil(len(rows) / most))  # of pictures of about one size, none is of two rows
        parts = [rows[start : start + size] for start in range(0, len(rows), size)]
        for number, part in enumerate(parts, 1):
            title = f"{name}, {number} of {len(parts)}" if len(parts) > 1 else name
            yield Grid(title, tuple(columns), tuple(part))


def _row(id: str, entry: Registered, columns: Sequence[ReleaseColumn], href: str) -> ReleaseRow:
    return ReleaseRow(id, entry.title, href, tuple(_state(entry, one.release) for one in columns))


def _state(entry: Registered, release: str) -> ReleaseState:
    known = release in entry.states
    return ReleaseState(entry.states.get(release), known, only_read=known and release == MAIN and not entry.ran_on_main)


def _order(row: ReleaseRow) -> tuple[int, int, str]:
    """By the newest column that has it, from the right, then by its verdict there."""
    newest = next((place for place, one in enumerate(reversed(row.states)) if one.verdict), len(row.states))
    verdict = row.states[-1 - newest].verdict if newest < len(row.states) else None
    return newest, SEVERITY.index(verdict) if verdict else len(SEVERITY), row.id

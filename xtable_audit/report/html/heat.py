"""Claims by tables: what the worst finding of each pair is. Families of claims and of tables where there are many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from xtable_audit.model.finding import SEVERITY, Verdict
from xtable_audit.model.outcome import FAILS, Outcome
from xtable_audit.model.result import ClaimResult
from xtable_audit.report.document import Document
from xtable_audit.report.groups import FindingGroup

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

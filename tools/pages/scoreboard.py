"""Releases beside what fails: the known findings, and by whole runs the claims of each family and kind of source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lab.provision.register import REGISTER, register
from xtable_audit.model.outcome import FAILS, Outcome
from xtable_audit.register.covers import covers
from xtable_audit.report.compare import HUDIS_INDEXES
from xtable_audit.report.document import Document
from xtable_audit.report.html.releases import NAMES, Grid, grids
from xtable_audit.report.release_states import known_releases, main_branch, registered


@dataclass(frozen=True)
class Score:
    """Claims of one family on tables of one kind, under one release."""

    failing: int
    checked: int
    """Those that held or failed."""


@dataclass(frozen=True)
class ScoreRow:
    name: str
    scores: tuple[Score, ...]
    """One for each run, in their order."""


@dataclass(frozen=True)
class Board:
    """`parts` has the kinds of source, those of most claims first, and of each the families of claims."""

    runs: tuple[Document, ...]
    parts: tuple[tuple[str, tuple[ScoreRow, ...]], ...]
    grids: tuple[Grid, ...] = ()
    """What each known finding does in each release."""


def every_finding() -> tuple[Grid, ...]:
    """The pictures of all known findings, with links to their pages from the root of the site."""
    entries, covered = register(REGISTER), covers(REGISTER)
    known = registered(entries, covered)
    mains = {component: main_branch(entries, component) for component in NAMES}
    return tuple(grids(known, known_releases(covered), mains, lambda id: f"docs/findings/{id}.html"))


def scoreboard(runs: Sequence[Document], grids: Sequence[Grid] = ()) -> Board:
    """Runs in the order of their releases. Tables that no XTable wrote are left out."""
    counted = [_counts(run) for run in runs]
    cells = dict.fromkeys(cell for counts in counted for cell in counts)
    checked = {kind: sum(one.checked for counts in counted for (of, _), one in counts.items() if of == kind)
               for kind in dict.fromkeys(kind for kind, _ in cells)}  # fmt: skip
    kinds = sorted(checked, key=lambda kind: -checked[kind])
    none = Score(0, 0)
    return Board(
        tuple(runs),
        tuple(
            (kind, tuple(ScoreRow(family, tuple(counts.get((kind, family), none) for counts in counted))
                         for family in sorted(family for of, family in cells if of == kind)))
            for kind in kinds
        ),
        tuple(grids),
    )  # fmt: skip


def _counts(run: Document) -> dict[tuple[str, str], Score]:
    found: dict[tuple[str, str], Score] = {}
    for cell, fails in _checked(run):
        one = found.get(cell, Score(0, 0))
        found[cell] = Score(one.failing + fails, one.checked + 1)
    return found


def _checked(run: Document) -> Iterator[tuple[tuple[str, str], bool]]:
    for claim in run.claims:
        kind = run.sources.get(str(claim.table), "")
        if claim.outcome in (*FAILS, Outcome.HELD, Outcome.GONE) and kind not in ("", HUDIS_INDEXES):
            yield (kind, claim.test.split("/")[1]), claim.outcome in FAILS

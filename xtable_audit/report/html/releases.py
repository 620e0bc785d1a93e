"""Findings by releases: what each known finding does in each release that the register covers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from xtable_audit.model.finding import SEVERITY, Verdict
from xtable_audit.register.entry import base_version, is_numbered
from xtable_audit.report.compare import HUDIS_INDEXES
from xtable_audit.report.document import Document, KnownRelease, MainBranch, Registered
from xtable_audit.report.groups import FindingGroup
from xtable_audit.report.html.picture import MARKS
from xtable_audit.report.release_states import MAIN

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

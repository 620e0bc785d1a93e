"""Files planned by the metadata, against matching files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xtable_audit.claims.needs import EVERY_FILE_READ
from xtable_audit.model import rules
from xtable_audit.model.claim import Claim, Need, claim
from xtable_audit.model.figures import many
from xtable_audit.model.finding import Blame, Verdict
from xtable_audit.model.predicate import Predicate
from xtable_audit.planning.selection import Selection, bounds_in_words
from xtable_audit.table.stored_metrics import StoredMetrics

SCAN = rules.SCAN


@dataclass(frozen=True)
class Planned:
    """One question on one table: its predicates, and for each the live, planned and matching files."""

    stored: StoredMetrics
    predicates: Sequence[Predicate]
    selections: Sequence[Selection]
    of_native: Callable[[], Sequence[Selection]]
    """The same selections on native Iceberg over the same rows."""

    @property
    def pairs(self) -> Iterator[tuple[Predicate, Selection]]:
        return zip(self.predicates, self.selections, strict=True)


@dataclass(frozen=True)
class Misplanned:
    """Where the planned files are wrong."""

    saw: str
    expected: str
    files: frozenset[str]
    losses: Mapping[Predicate, frozenset[str]] = field(default_factory=dict)
    """Matching files that are not planned, by predicate."""


PlanningClaim = Claim[Planned, Misplanned]

PREDICATES = Need[Planned](
    "a predicate on a live data file", lambda planned: sum(len(one.live) for one in planned.selections)
)
MATCHES = Need[Planned](
    "a file that holds a matching row", lambda planned: sum(len(one.matching) for one in planned.selections)
)


@claim("every file that holds a matching row is planned", needs=PREDICATES, spec=SCAN, breaks=Verdict.UNSOUND)
def every_matching_file_is_planned(planned: Planned) -> Iterator[Misplanned]:
    losing = [(predicate, one) for predicate, one in planned.pairs if one.lost]
    if losing:
        predicate, first = losing[0]
        lost = first.lost
        why = bounds_in_words(planned.stored, min(lost), predicate)
        of_all = (
            f" ({len(losing)} of {many(len(planned.selections), 'predicate')})" if len(planned.selections) > 1 else ""
        )
        losses = {asked: one.lost for asked, one in losing}
        yield Misplanned(
            f"{len(lost)} of {len(first.matching)} matching files skipped for {first.predicate}{of_all}: {why}",
            "each of them kept",
            frozenset().union(*losses.values()),
            losses,
        )


@claim(
    "of a good layout only the matching files are planned",
    needs=(PREDICATES, MATCHES, EVERY_FILE_READ),
    spec=SCAN,
    breaks=Verdict.LOOSE,
)
def only_matching_files_are_planned(planned: Planned) -> Iterator[Misplanned]:
    for one in planned.selections:
        if extra := one.planned - one.matching:
            saw = f"{len(one.planned)} of {many(len(one.live), 'file')} planned for {one.predicate}"
            yield Misplanned(saw, f"{len(one.matching)}, which hold the {one.rows_returned:,} matching rows", extra)


@claim(
    "as many files are live, planned and matching as of native Iceberg over the same rows",
    needs=(PREDICATES, EVERY_FILE_READ),
    spec=SCAN,
    breaks=Verdict.LOOSE,
)
def planning_equals_native(planned: Planned) -> Iterator[Misplanned]:
    for one, native in zip(planned.selections, planned.of_native(), strict=True):
        if one.counts != native.counts:
            saw, expected = ("{} live, {} planned, {} matching".format(*each.counts) for each in (one, native))
            yield Misplanned(saw, expected, one.planned)


@claim(
    "of the bad layout every file matches",
    needs=(PREDICATES, EVERY_FILE_READ),
    spec="the negative control: no metadata could help",
    breaks=Verdict.LOOSE,
    blame=(Blame.SUITE, "the negative control must look as bad as it is laid out"),
)
def negative_control_matches_every_file(planned: Planned) -> Iterator[Misplanned]:
    for one in planned.selections:
        if spared := one.live - (one.matching & one.planned):
            saw = f"{len(spared)} of {many(len(one.live), 'file')} can be skipped for {one.predicate}"
            yield Misplanned(saw, "none: every file holds every month", spared)

"""What the recorded tables catch, way by way, and the holes: errors that no table of a way could show."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tools.mutations.made_errors import AFTER, LAST, ONE_FILE, STRUCT, PlaceFacts, Spot, Tally, TrialOutcome
from tools.mutations.spoil import ERRORS, Error
from tools.pages.marks import with_part
from xtable_audit.claims.every_claim import EVERY_CLAIM
from xtable_audit.model.figures import many

START, END = "<!-- made by `python -m tools mutations --page` -->\n", "<!-- end of it -->\n"
BY_IDENTITY_ALONE = ("Delta", "Paimon")
"""The source formats without partitions by a month or a bucket that XTable reads."""
WITHOUT_BOUNDS = ("boolean", "binary")
"""The types of which Delta's statistics have no bounds: its protocol has them of numbers, strings, dates and times."""
WORDS = {
    TrialOutcome.MISSED: "which no claim catches",
    TrialOutcome.HIDDEN: "hidden by what XTable gets wrong itself",
    None: "which no table can show",
}


@dataclass(frozen=True)
class Route:
    """The tables that go one way, as `Hudi to Iceberg`."""

    tally: Tally
    words: str

    @cached_property
    def errors(self) -> list[Error]:
        """Those that can be made in some table of this way."""
        made = {spot.error for spot in self.tally.tables if spot.way == self.words}
        return [error for error in ERRORS if error.words in made]

    @cached_property
    def spots(self) -> list[Spot]:
        """Each error in each kind of place, as far as both are possible on this way."""
        places = sorted({spot.where for spot in self.tally.tables})
        return [
            Spot(self.words, where, error.words)
            for where in places
            for error in self.errors
            if error.at.has(where.dimension) and self._is_possible(where, error)
        ]

    def _is_possible(self, where: PlaceFacts, error: Error) -> bool:
        source, _, target = self.words.partition(" to ")
        if where.dimension == "stage" and where != LAST:
            return any(id + AFTER in EVERY_CLAIM for id in error.claims)
        if where.dimension == "partition":
            return where.words.startswith("identity") or not source.startswith(BY_IDENTITY_ALONE)
        if where == ONE_FILE:
            return not error.compares_files
        if where == STRUCT:
            return not error.of_rows
        if where.words in WITHOUT_BOUNDS and (source.startswith("Delta") or target.startswith("Delta")):
            return not error.of_bounds
        return True

    def of(self, seen: TrialOutcome | None) -> list[Spot]:
        return [spot for spot in self.spots if self.tally.seen(spot) is seen]

    @cached_property
    def nowhere(self) -> list[PlaceFacts]:
        """The kinds of places that no table of this way has."""
        there = {spot.where for spot in self.spots if self.tally.seen(spot)}
        return sorted({spot.where for spot in self.spots} - there)

    def lines(self) -> Iterator[str]:
        caught = len(self.of(TrialOutcome.CAUGHT))
        yield f"**{self.words}**: {caught:,} of {len(self.spots):,} are caught.\n"
        if self.nowhere:
            yield f"* no table has any: {', '.join(where.words for where in self.nowhere)}"
        for error in self.errors:
            for seen, words in WORDS.items():
                where = [spot.where for spot in self.of(seen) if spot.error == error.words]
                if places := [one.words for one in where if one not in self.nowhere]:
                    yield f"* {error}, {words}: {', '.join(places)}"


def page(tally: Tally, tables: int, release: str) -> str:
    """The section of docs/edges.md."""
    ways = [Route(tally, words) for words in sorted({spot.way for spot in tally.tables})]
    spots, caught = sum(len(way.spots) for way in ways), sum(len(way.of(TrialOutcome.CAUGHT)) for way in ways)
    found = (
        f"By the recordings of XTable {release}, {many(tables, 'table')}: of {spots:,} errors in a kind of place, "
        f"{caught:,} are caught on a table at least. The others, by source and target:"
    )
    return "\n\n".join([found, *("\n".join(way.lines()) for way in ways)]) + "\n"


def put(text: str, section: str) -> str:
    """The page with this section in the place of the one that it has."""
    return with_part(text, START, END, section)

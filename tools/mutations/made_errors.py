"""Makes errors in a table's metadata, one at a time and in each kind of place: does a claim fail that held before?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np
import pyarrow as pa

from tools.mutations.spoil import ERRORS, At, Error, FaultPlace
from xtable_audit.claims.deviation import TableClaim
from xtable_audit.claims.every_claim import EVERY_CLAIM
from xtable_audit.subject.case import Case

# Where in a table an error is: the type of its column, its partition field, the stage, and the table's size.

BY_FILES = {1: "one file", 8: "2 to 8 files", 100: "9 to 100 files"}
COLUMNS = {8: "up to 8 columns", 32: "9 to 32 columns", 100: "33 to 100 columns", 1000: "101 to 1,000 columns"}
SYNCS = {3: "up to 3 syncs", 8: "4 to 8 syncs"}
NAMES = {"large_string": "string", "large_binary": "binary", "date32[day]": "date", "bool": "boolean"}
"""Arrow's names of types to plain ones."""


@dataclass(frozen=True, order=True)
class PlaceFacts:
    """What is true of a place, such as "type": "decimal"."""

    dimension: str
    words: str


LAST = PlaceFacts("stage", "the state after the last sync")
ONE_FILE = PlaceFacts("files", "one file")
STRUCT = PlaceFacts("depth", "a field of a struct")


def where(case: Case, place: FaultPlace, at: At, stage: str, syncs: int) -> Iterator[PlaceFacts]:
    """Each kind of place that this one is of."""
    yield PlaceFacts("stage", f"the state after {stage}")
    yield PlaceFacts("files", _class_of(case.stored.files.num_rows, BY_FILES, "more than 100 files"))
    yield PlaceFacts("columns", _class_of(len(case.stored.leaves), COLUMNS, "more than 1,000 columns"))
    yield PlaceFacts("syncs", _class_of(syncs, SYNCS, "more than 8 syncs"))
    if at is At.COLUMN:
        leaf = next(leaf for leaf in case.stored.leaves if leaf.path == place.name)
        yield PlaceFacts("type", type_in_words(leaf.arrow))
        yield STRUCT if "." in place.name else PlaceFacts("depth", "a column of the table")
    if at is At.FIELD:
        for field, leaf in case.stored.partitioning.fields(case.stored.leaves):
            if field.name == place.name:
                yield PlaceFacts("partition", f"{field.transform}({type_in_words(leaf.arrow)})")


def type_in_words(type: pa.DataType) -> str:
    if pa.types.is_decimal(type):
        return "decimal"
    if pa.types.is_timestamp(type):
        return "timestamp with zone" if type.tz else "timestamp"
    if pa.types.is_time(type):
        return "time"
    if pa.types.is_fixed_size_binary(type):
        return "fixed"
    return NAMES.get(str(type), str(type))


def _class_of(number: int, classes: dict[int, str], more: str) -> str:
    return next((words for most, words in classes.items() if number <= most), more)


# Makes errors in a table's metadata, one at a time, and sees whether a claim fails on it that held before.

AFTER = "_after_a_sync"
"""The end of the id of a claim about the states that earlier syncs left."""
FILES = 40
"""Files of a table in which an error is tried."""
ENOUGH = 3
"""Tables on which an error in one kind of place is caught, after which no other is tried."""


class TrialOutcome(StrEnum):
    CAUGHT = "caught"
    HIDDEN = "hidden"
    """The claims say the same without the error, or cannot be judged there: XTable errs in this place itself."""
    MISSED = "missed"
    """The error was made, and the claims hold."""


@dataclass(frozen=True, order=True)
class Spot:
    """An error in one kind of place, such as a null too many in a column of longs, of tables that go one way."""

    way: str
    """From which source format to which target: `Hudi to Iceberg`."""
    where: PlaceFacts
    error: str


@dataclass
class Tally:
    """The tables on which errors were caught, hidden or missed."""

    tables: dict[Spot, dict[TrialOutcome, set[str]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(set))
    )

    def try_all(self, table: str, way: str, case: Case, errors: Sequence[Error] = ERRORS) -> None:
        """Makes errors in the table's last state, and in what earlier syncs left that the last state does not say."""
        syncs = len(case.history) or 1
        for then, stage in _states(case):
            for error in errors:
                claims = list(_claims(error, then, last=then is case))
                for place in _places(then, error.at) if claims else ():
                    spots = [Spot(way, one, error.words) for one in where(then, place, error.at, stage, syncs)]
                    if any(self._wants(spot, table) for spot in spots) and (seen := _seen(then, error, place, claims)):
                        for spot in spots:
                            self.tables[spot][seen].add(table)

    def _wants(self, spot: Spot, table: str) -> bool:
        caught = self.tables[spot][TrialOutcome.CAUGHT] if spot in self.tables else set[str]()
        return len(caught) < ENOUGH and table not in caught

    def seen(self, spot: Spot) -> TrialOutcome | None:
        """The best that was seen of it; None if the error could be made on no table."""
        return next((seen for seen in TrialOutcome if spot in self.tables and self.tables[spot].get(seen)), None)


def _states(case: Case) -> Iterator[tuple[Case, str]]:
    yield case, "the last sync"
    for number, one in enumerate(case.earlier):
        yield one.case, "a sync between" if number else "the first sync"


def _claims(error: Error, case: Case, *, last: bool) -> Iterator[TableClaim]:
    """Those about this state that are judged in the table's format."""
    for id in error.claims:
        if (last or id + AFTER in EVERY_CLAIM) and id not in case.rules.silent:
            yield EVERY_CLAIM[id]


def _places(case: Case, at: At) -> Iterator[FaultPlace]:
    files, names = list(range(min(case.stored.files.num_rows, FILES))), [""]
    if at is At.COLUMN:
        names = list(case.stored.columns)
    if at is At.FIELD:
        first = case.stored.partitioning
        files, names = np.flatnonzero(case.stored.under(first))[:FILES].tolist(), first.tuples.column_names
    return (FaultPlace(file, name) for name in names for file in files)


def _seen(case: Case, error: Error, place: FaultPlace, claims: Sequence[TableClaim]) -> TrialOutcome | None:
    """None where the error cannot be made."""
    healthy = _of_column(case, place.name) if error.at is At.COLUMN else case
    spoilt = error.make(healthy, place)
    if spoilt is None:
        return None
    judged = [claim for claim in claims if claim.lacks(spoilt) is None]
    found = [(claim.deviations(spoilt), claim.deviations(healthy)) for claim in judged]
    if any(now != before for now, before in found):
        return TrialOutcome.CAUGHT
    return TrialOutcome.HIDDEN if not judged or any(now for now, _ in found) else TrialOutcome.MISSED


def _of_column(case: Case, name: str) -> Case:
    """The case with the metrics of that column alone, so that claims take no time for others."""
    return replace(case, stored=replace(case.stored, columns={name: case.stored.columns[name]}))

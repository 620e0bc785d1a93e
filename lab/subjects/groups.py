"""The groups of tables that suites check claims on, and questions by the words users type after `-k`."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache
from types import MappingProxyType

from lab.subjects.hudi_tables import DRAWN_ON, EXAMPLES, LAYERED, HudiSpec
from lab.subjects.table import Group, Offer
from spark_jobs.battery.table import BatteryTable
from spark_jobs.battery.tables import BATTERY
from spark_jobs.columns import PICKUP_MONTH
from spark_jobs.launch import SHIPS
from xtable_audit.model.predicate import And, Compare, Predicate
from xtable_audit.model.subject_id import CONTROL, DELTA, HUDI, ICEBERG, NATIVE, NATIVE_DELTA, XTABLE, SubjectId
from xtable_audit.planning.grid import ends, grid
from xtable_audit.subject.case import Case

MONTH, TIME_RANGE = "month", "time_range"
QUESTIONS = (MONTH, TIME_RANGE)
"""The published audit's predicate, and one for the same rows by pickup time."""

GRID: Mapping[str, str] = MappingProxyType(
    {"strings": "s", "longs": "l", "doubles": "d", "decimals": "m", "dates": "day", "timestamps": "at"}
)
"""Word -> the column of `plain_types` that its predicate grid tests."""

ENDS = "ends"
"""On each column of a small table the least and the greatest value, and nulls."""
ZIP = "zip"
ZIP_CODE = Compare("zip_code", "=", "10001")
"""`select count(1) from shipping_address where zip_code = '10001'`: the query of Hudi's published measurement."""


def predicates(word: str, case: Case, year: int) -> tuple[Predicate, ...]:
    """The predicates of a word, in this table's columns."""
    match word:
        case "month":
            return (Compare(PICKUP_MONTH, "=", f"{year}-03"),)
        case "time_range":
            pickup = case.source.separates[1]
            march, april = (datetime.datetime(year, month, 1, tzinfo=datetime.UTC) for month in (3, 4))
            return (And(Compare(pickup, ">=", march), Compare(pickup, "<", april)),)
        case "zip":
            return (ZIP_CODE,)
        case "ends":
            return ends(case)
    columns = list(GRID.values())
    column = GRID[word]
    return grid(case, column, beside=columns[columns.index(column) - 1])


def _of(words: str, *datasets: str) -> Group:
    """Their Iceberg metadata by every translator."""
    return Group(words, lambda offer: offer.id.dataset in datasets and offer.metadata == ICEBERG)


WELL_LAID_OUT = _of("is laid out well", "native_iceberg", "good_layout")
TRANSLATED_WELL = _of("translates a good layout", "good_layout")
BADLY_LAID_OUT = _of("is laid out badly", "bad_layout")
PUBLISHED = WELL_LAID_OUT | BADLY_LAID_OUT
"""The published audit's tables."""
PLAIN = _of("has every plain type", "plain_types")
"""Ordinary values of every plain type. Every reader runs the predicate grid on them."""


def _is_translated(offer: Offer) -> bool:
    return isinstance(offer.entry, BatteryTable) and offer.id.is_by_xtable and offer.metadata == ICEBERG


def _changes(offer: Offer) -> bool:
    return _is_translated(offer) and len(offer.entry.stages) > 1


def _is_refused(offer: Offer) -> bool:
    return _is_translated(offer) and offer.entry.refused is not None


IN_BATTERY = Group("XTable translates", _is_translated)
"""The battery as XTable translates it. Control tables are built only to decide blame."""
SYNCED_OFTEN = Group("XTable syncs at several points of its history", _changes)
"""The others have no state but the last one."""
REFUSED = Group("XTable must refuse", _is_refused)
"""Tables of versions that the registered releases cannot read. Other claims apply to them once a release reads them."""
WITH_ROWS = Group(
    "returns its rows as written",
    lambda offer: IN_BATTERY.has(offer) and not any("timebased" in key for key in offer.entry.options),
)
"""With a time-based key generator, Hudi returns the text of the partition path in place of the column's value."""
BY_COLUMN_STATISTICS = Group(
    "XTable translates from Hudi's column statistics",
    lambda offer: IN_BATTERY.has(offer) and offer.entry.without_index != "",
)
"""Translations of the rows that Hudi's own reader also reads with its indexes: `skip_addresses`."""
FOREIGN = Group("another writer made", lambda offer: offer.metadata == ICEBERG and offer.entry is None)
"""Tables of an unknown source."""
CONTROL_OF_PLAIN = Group("is the control of plain_types", lambda offer: str(offer.id) == "plain_types-control")
MAY_HAVE_DELETES = (
    Group(
        "may have row-level deletes, row ids, statistics, branches or tags",
        lambda offer: (
            offer.id.dataset == "native_iceberg"
            or (_is_translated(offer) and offer.id.dataset in ("delta_vectors", "mor_deleted", "mor_updated"))
        ),
    )
    | FOREIGN
)
"""No release of XTable writes these, so claims about them are not checked on each of its tables."""
ALL = PUBLISHED | CONTROL_OF_PLAIN | IN_BATTERY | FOREIGN | _of("Delta's own writer made", NATIVE_DELTA)
"""The tables that most claims check. The last is one of `each_target` alone."""


IN_DELTA = Group("has a Delta log", lambda offer: offer.id.target == DELTA)
IN_HUDI = Group("has a Hudi timeline by XTable", lambda offer: offer.id.target == HUDI)


@cache
def each_target(group: Group) -> Group:
    """The group, and the same tables in other formats: by XTable, by the control, by their own writer."""

    def has(offer: Offer) -> bool:
        if offer.id.target == ICEBERG:
            return False
        by = NATIVE if offer.id.translator == NATIVE else CONTROL if offer.id.is_control else XTABLE
        to_iceberg = replace(offer, id=replace(offer.id, translator=by), metadata=ICEBERG)
        return group.has(to_iceberg)

    return group | Group(f"{group.words}, in another format", has)


_OURS = each_target(PUBLISHED | CONTROL_OF_PLAIN | IN_BATTERY | _of("Delta's own writer made", NATIVE_DELTA))
ANSWERED = Group(
    "readers answer questions about, in the run's store", lambda offer: offer.id.target != HUDI and _OURS.has(offer)
)
"""Tables of others are judged where they lie, and Hudi's reader answers nothing from metadata."""


def _of_hudi(words: str, datasets: Iterable[str]) -> Group:
    named = frozenset(datasets)
    return Group(words, lambda offer: isinstance(offer.entry, HudiSpec) and offer.id.dataset in named)


SHIPPING = _of_hudi("is Hudi's published table", SHIPS)
BOTH_INDEXED = _of_hudi("has both of Hudi's indexes", (name for name, ship in SHIPS.items() if ship.indexes == "both"))
ONE_STATE_IN_TWENTY = _of_hudi(
    "spreads a state's ZIP codes over all files of the state",
    (name for name, ship in SHIPS.items() if ship.zips == "random"),
)
"""Tables in which every file of a state could match, so the share of planned files is the state's share."""
LABORATORY = Group("has Hudi's own indexes", lambda offer: offer.family == "laboratory")
QUERIED = _of_hudi("has predicates of its own", {*EXAMPLES, DRAWN_ON, *LAYERED} - {*SHIPS})


def with_and_without_statistics(ids: Callable[..., tuple[str, ...]]) -> list[tuple[str, str]]:
    """Pairs of tables with the same rows by the same Hudi release, with and without its column statistics.

    `ids` is the catalogue's.
    """
    found = map(SubjectId.parse, ids(BY_COLUMN_STATISTICS))
    return [(str(id), str(replace(id, dataset=BATTERY[id.dataset].without_index))) for id in found]

"""A false bound in Delta's log loses rows in every reader, and a missing one costs reads."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from tests.readers.delta.falsified import falsified
from xtable_audit.model.predicate import Compare, IsNull, Predicate
from xtable_audit.readers.observe import observe
from xtable_audit.readers.reader import Observation, Reader

MARCH_10 = dt.datetime(2023, 3, 10, 1, 30, 15, 121)
LOST: dict[str, tuple[Any, Predicate]] = {
    "id": (1_000, Compare("id", "=", 60)),
    "distance": (1e6, Compare("distance", "=", 15.0)),
    "fare": (90_000.0, Compare("fare", "=", Decimal("4.20"))),
    "month": ("2024", Compare("month", "=", "2023-02")),
    "day": ("2024-01-01", Compare("day", "=", dt.date(2023, 2, 5))),
    "picked_up": ("2024-01-01 00:00:00.000", Compare("picked_up", "=", MARCH_10)),
    "recorded": ("2024-01-01T00:00:00.000Z", Compare("recorded", "=", MARCH_10.replace(tzinfo=dt.UTC))),
}
"""Column -> a minimum above all its values, and a predicate that the values match."""
NULLS = "null counts"
UNUSED = {"duckdb_delta": {"picked_up", "recorded", NULLS}}
"""The statistics by which a reader skips no files."""


def watch(reader: Reader, tables: Any, table: Any, predicate: Predicate) -> Observation:
    log = tables.store.guest(f"reader-{reader.name}").log
    [seen] = observe(reader, log, table.metadata, [predicate], table.data)
    return seen


@pytest.mark.parametrize("column", LOST)
def test_a_minimum_above_the_values_loses_the_rows_where_a_reader_skips_by_it(
    reader: Reader, tables: Any, column: str
) -> None:
    minimum, predicate = LOST[column]

    def above(add: dict[str, Any]) -> None:
        add["stats"]["minValues"][column] = add["stats"]["maxValues"][column] = minimum

    false = falsified(tables.store.store, tables.by_month, f"above_{column}", add=above)
    sound, seen = (watch(reader, tables, table, predicate) for table in (tables.by_month, false))
    if column in UNUSED.get(reader.name, ()):
        assert (seen.rows, seen.read) == (sound.rows, frozenset(false.data))
    else:
        assert (sound.error, len(sound.read or ())) == (None, 1)
        assert sound.rows
        assert (seen.error, seen.rows, seen.read) == (None, 0, frozenset())


def test_a_count_of_no_nulls_loses_the_nulls_where_a_reader_skips_by_it(reader: Reader, tables: Any) -> None:
    def none(add: dict[str, Any]) -> None:
        add["stats"]["nullCount"]["zone"] = 0

    false = falsified(tables.store.store, tables.by_month, "no_nulls", add=none)
    sound, seen = (watch(reader, tables, table, IsNull("zone")) for table in (tables.by_month, false))
    used = NULLS not in UNUSED.get(reader.name, ())
    assert (sound.rows, seen.rows, len(seen.read or ())) == ((19, 0, 0) if used else (19, 19, 4))


def test_without_statistics_every_file_is_opened(reader: Reader, tables: Any) -> None:
    def bare(add: dict[str, Any]) -> None:
        add["stats"] = {"numRecords": add["stats"]["numRecords"]}

    loose = falsified(tables.store.store, tables.by_month, "bare", add=bare)
    seen = watch(reader, tables, loose, LOST["id"][1])
    assert (seen.error, seen.rows, seen.read) == (None, 1, frozenset(loose.data))

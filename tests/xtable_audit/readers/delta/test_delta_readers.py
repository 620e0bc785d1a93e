"""Every embedded reader of Delta tables: rows as they are, the files it opens, false bounds, and what it refuses."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from lab.engines.readers import find, open_reader
from lab.store.address import Workspace
from tests.of_each import of_each
from tests.window import window
from tests.xtable_audit.readers.delta.conftest import falsified
from tests.xtable_audit.readers.test_answers import GRID, holds
from tests.xtable_audit.readers.test_broken_tables import cut_in_half, is_reported_in_one_line
from xtable_audit.model.predicate import Compare, IsNull, Predicate
from xtable_audit.model.problem import Problem
from xtable_audit.readers import duckdb_reader
from xtable_audit.readers.observe import observe
from xtable_audit.readers.reader import Observation, Reader

MARCH = Compare("month", "=", "2023-03")
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


def matching(tables: Any, predicate: Predicate) -> int:
    return sum(holds(predicate, row) is True for row in tables.rows)


def watch(reader: Reader, tables: Any, table: str, *predicates: Predicate | None) -> list[Observation]:
    layout = getattr(tables, table)
    log = tables.store.guest(f"reader-{reader.name}").log
    return observe(reader, log, layout.metadata, predicates, layout.data)


def watch_one(reader: Reader, tables: Any, table: Any, predicate: Predicate) -> Observation:
    log = tables.store.guest(f"reader-{reader.name}").log
    [seen] = observe(reader, log, table.metadata, [predicate], table.data)
    return seen


def asked(reader: Reader, tables: Any, location: str, predicate: Predicate | None = MARCH) -> Observation:
    log = tables.store.guest(f"reader-{reader.name}").log
    [seen] = observe(reader, log, location, [predicate], tables.by_month.data)
    return seen


def commit(tables: Any, version: int) -> str:
    key: str = tables.store.store.key(tables.by_month.at(version))
    return key


# Every reader of Delta tables counts what the rows themselves say, at the version that the location names.


@of_each("predicate", GRID, ids=str)
def test_a_reader_counts_the_rows_that_match(reader: Reader, tables: Any, predicate: Predicate) -> None:
    assert reader.query(tables.by_month.metadata, predicate).rows == matching(tables, predicate)


@pytest.mark.parametrize("predicate", [Compare("month", "=", "2023-03"), Compare("month", "<", "2023-02")], ids=str)
def test_a_partition_column_is_compared_by_its_value_in_the_log(
    reader: Reader, tables: Any, predicate: Predicate
) -> None:
    assert reader.query(tables.partitioned.metadata, predicate).rows == matching(tables, predicate)


@pytest.mark.parametrize("version", [0, 1, 2, 3])
def test_a_reader_opens_the_version_that_is_named(reader: Reader, tables: Any, version: int) -> None:
    assert reader.query(tables.by_month.at(version), None).rows == 50 * (version + 1)


def test_after_an_older_version_the_newest_is_read(reader: Reader, tables: Any) -> None:
    versions = [tables.by_month.at(0), tables.by_month.metadata, tables.by_month.at(0)]
    assert [reader.query(version, None).rows for version in versions] == [50, 200, 50]


def test_a_reader_says_its_version(reader: Reader) -> None:
    assert reader.version[0].isdigit()


# The request log shows which data files of a Delta table each reader opens.


@pytest.mark.parametrize("table", ["by_month", "partitioned"])
def test_a_month_opens_one_of_four_files(reader: Reader, tables: Any, table: str) -> None:
    [seen] = watch(reader, tables, table, MARCH)
    assert (seen.error, seen.rows, len(seen.read or ())) == (None, 50, 1)


def test_a_month_opens_every_file_where_each_holds_every_month(reader: Reader, tables: Any) -> None:
    [seen] = watch(reader, tables, "scattered", MARCH)
    assert seen.read == frozenset(tables.scattered.data)


@pytest.mark.parametrize("table", ["by_month", "partitioned", "scattered"])
def test_without_a_predicate_every_file_is_opened(reader: Reader, tables: Any, table: str) -> None:
    [seen] = watch(reader, tables, table, None)
    assert seen.read == frozenset(getattr(tables, table).data)


def test_a_question_put_twice_opens_the_same_files_twice(reader: Reader, tables: Any) -> None:
    first, second = watch(reader, tables, "scattered", MARCH, MARCH)
    assert first.read == second.read == frozenset(tables.scattered.data)


def test_each_predicate_of_a_batch_has_the_files_that_it_opened(reader: Reader, tables: Any) -> None:
    months = [Compare("month", "=", f"2023-0{number}") for number in (3, 1, 9, 2)]
    march, january, none, february = (one.read for one in watch(reader, tables, "by_month", *months))
    files = [frozenset({key}) for key in tables.by_month.data]
    assert [january, february, march, none] == [*files[:3], frozenset()]


def test_the_log_is_read_anew_for_every_question(reader: Reader, tables: Any) -> None:
    reader.query(tables.by_month.metadata, MARCH)
    with window(tables.store.guest(f"reader-{reader.name}").log) as seen:
        reader.query(tables.by_month.metadata, MARCH)
    fetched = {request.key.rpartition("/")[2] for request in seen if request.method == "GET"}
    assert {f"{version:020}.json" for version in range(4)} <= fetched


def test_a_reader_reports_of_its_plan_what_its_adapter_says(reader: Reader, tables: Any) -> None:
    answer = reader.query(tables.by_month.metadata, MARCH)
    planned = "names" if answer.planned is not None else "count" if answer.planned_count is not None else None
    able = find(reader.name).capabilities
    assert (answer.live is not None, planned, answer.scanned is not None) == (able.live, able.planned, able.scanned)


# A false bound in Delta's log loses rows in every reader, and a missing one costs reads.


@pytest.mark.parametrize("column", LOST)
def test_a_minimum_above_the_values_loses_the_rows_where_a_reader_skips_by_it(
    reader: Reader, tables: Any, column: str
) -> None:
    minimum, predicate = LOST[column]

    def above(add: dict[str, Any]) -> None:
        add["stats"]["minValues"][column] = add["stats"]["maxValues"][column] = minimum

    false = falsified(tables.store.store, tables.by_month, f"above_{column}", add=above)
    sound, seen = (watch_one(reader, tables, table, predicate) for table in (tables.by_month, false))
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
    sound, seen = (watch_one(reader, tables, table, IsNull("zone")) for table in (tables.by_month, false))
    used = NULLS not in UNUSED.get(reader.name, ())
    assert (sound.rows, seen.rows, len(seen.read or ())) == ((19, 0, 0) if used else (19, 19, 4))


def test_without_statistics_every_file_is_opened(reader: Reader, tables: Any) -> None:
    def bare(add: dict[str, Any]) -> None:
        add["stats"] = {"numRecords": add["stats"]["numRecords"]}

    loose = falsified(tables.store.store, tables.by_month, "bare", add=bare)
    seen = watch_one(reader, tables, loose, LOST["id"][1])
    assert (seen.error, seen.rows, seen.read) == (None, 1, frozenset(loose.data))


# A Delta table that cannot be read ends in the reader's own words, in one line, and never in an answer.


def test_a_truncated_commit_is_an_error(reader: Reader, tables: Any) -> None:
    with cut_in_half(tables.store.store, commit(tables, 2)):
        assert is_reported_in_one_line(asked(reader, tables, tables.by_month.metadata))


def test_a_data_file_cut_short_is_an_error(reader: Reader, tables: Any) -> None:
    with cut_in_half(tables.store.store, tables.by_month.data[2]):
        assert is_reported_in_one_line(asked(reader, tables, tables.by_month.metadata))


def test_after_a_failure_the_next_question_is_answered(reader: Reader, tables: Any) -> None:
    with cut_in_half(tables.store.store, commit(tables, 2)):
        asked(reader, tables, tables.by_month.metadata)
    seen = asked(reader, tables, tables.by_month.metadata)
    assert (seen.rows, seen.read, seen.error) == (50, frozenset({tables.by_month.data[2]}), None)


def test_a_version_that_is_not_there_is_an_error(reader: Reader, tables: Any) -> None:
    assert is_reported_in_one_line(asked(reader, tables, tables.by_month.at(9)))


def test_a_table_that_is_not_there_is_an_error_without_the_stores_secret(reader: Reader, tables: Any) -> None:
    seen = asked(reader, tables, tables.by_month.metadata.replace("by_month", "nowhere"))
    assert is_reported_in_one_line(seen)
    assert tables.store.store.secret_key not in str(seen.error)


def test_a_column_that_is_not_there_is_an_error(reader: Reader, tables: Any) -> None:
    seen = asked(reader, tables, tables.by_month.metadata, Compare("nope", "=", 1))
    assert "nope" in str(seen.error)


def test_metadata_of_another_format_is_no_commit(reader: Reader, tables: Any) -> None:
    seen = asked(reader, tables, tables.by_month.root + "/metadata/v1.metadata.json")
    assert "is no commit in a folder _delta_log/" in str(seen.error)


def test_duckdb_without_its_delta_extension_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duckdb_reader, "find_spec", lambda name: None)
    with pytest.raises(Problem, match="lacks its delta extension: pip install duckdb-extension-delta=="):
        duckdb_reader.extension_file("delta")


def test_a_store_that_does_not_answer_is_an_error(reader: Reader, tables: Any) -> None:
    nobody = Workspace("http://127.0.0.1:9", "key", "secret")
    lonely = open_reader(reader.name, nobody)
    [seen] = observe(lonely, None, tables.by_month.metadata, [None], ())
    lonely.close()
    assert is_reported_in_one_line(seen)

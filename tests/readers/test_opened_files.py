"""The request log shows, for every reader in the same way, which data files it read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from lab.engines.readers import find
from tests.window import window
from xtable_audit.model.predicate import And, Compare, Predicate
from xtable_audit.readers.observe import observe
from xtable_audit.readers.reader import Observation, Reader

MARCH = Compare("month", "=", "2023-03")
NO_FIELD_IDS = "carries no parquet field IDs"


def watch(reader: Reader, tables: Any, table: str, predicate: Predicate | None) -> Observation:
    layout = getattr(tables, table)
    log = tables.store.guest(f"reader-{reader.name}").log
    [observation] = observe(reader, log, layout.metadata, [predicate], layout.data)
    return observation


def test_a_month_opens_one_file_of_a_table_partitioned_by_month(reader: Reader, tables: Any) -> None:
    seen = watch(reader, tables, "native", MARCH)
    assert (seen.error, len(seen.read or ())) == (None, 1)


def test_a_month_opens_every_file_where_each_holds_every_month(reader: Reader, tables: Any) -> None:
    assert watch(reader, tables, "scattered", MARCH).read == frozenset(tables.scattered.data)


def test_files_registered_without_field_ids_are_read_through_the_name_mapping(reader: Reader, tables: Any) -> None:
    seen = watch(reader, tables, "added", MARCH)
    if find(reader.name).capabilities.needs_field_ids:
        assert NO_FIELD_IDS in (seen.error or "")
    else:
        assert (seen.rows, len(seen.read or ())) == (50, 1)


def test_without_a_predicate_every_file_is_opened(reader: Reader, tables: Any) -> None:
    assert watch(reader, tables, "native", None).read == frozenset(tables.native.data)


def test_a_question_put_twice_opens_the_same_files_twice(reader: Reader, tables: Any) -> None:
    first, second = (watch(reader, tables, "scattered", MARCH) for _ in range(2))
    assert first.read == second.read == frozenset(tables.scattered.data)


def test_each_predicate_of_a_batch_has_the_files_that_it_opened(reader: Reader, tables: Any) -> None:
    months = [Compare("month", "=", f"2023-0{number}") for number in (3, 1, 9, 2)]
    log = tables.store.guest(f"reader-{reader.name}").log
    seen = observe(reader, log, tables.native.metadata, months, tables.native.data)
    read = [{key.partition("month=")[2][:7] for key in one.read or ()} for one in seen]
    assert read == [{"2023-03"}, {"2023-01"}, set(), {"2023-02"}]


def test_metadata_is_read_anew_for_every_question(reader: Reader, tables: Any) -> None:
    log = tables.store.guest(f"reader-{reader.name}").log
    reader.query(tables.native.metadata, MARCH)
    with window(log) as seen:
        reader.query(tables.native.metadata, MARCH)
    fetched = {request.key.rpartition(".")[2] for request in seen if request.method == "GET"}
    assert {"json", "avro"} <= fetched


@pytest.mark.parametrize(
    ("predicate", "month"),
    [
        (Compare("id", "=", 60), "2023-02"),
        (Compare("zone_to", "=", "Z61"), "2023-02"),
        (And(MARCH, Compare("distance", "<", 28.0)), "2023-03"),
    ],
    ids=["id", "zone_to", "month and distance"],
)
def test_the_file_that_holds_the_rows_is_opened(reader: Reader, tables: Any, predicate: Predicate, month: str) -> None:
    matching = {key for key in tables.native.data if f"month={month}" in key}
    assert len(matching) == 1
    assert matching <= (watch(reader, tables, "native", predicate).read or set())


def test_only_pyiceberg_says_what_it_plans(reader: Reader, tables: Any) -> None:
    seen = watch(reader, tables, "native", MARCH)
    assert seen.answer is not None
    planned = seen.answer.planned and {tables.store.store.key(uri) for uri in seen.answer.planned}
    assert planned == (seen.read if reader.name == "pyiceberg" else None)


def test_without_a_request_log_opened_files_are_unknown_and_the_answer_remains(reader: Reader, tables: Any) -> None:
    [seen] = observe(reader, None, tables.native.metadata, [MARCH], tables.native.data)
    assert (seen.rows, seen.read) == (50, None)


def test_an_observation_carries_the_readers_name_version_and_time(reader: Reader, tables: Any) -> None:
    seen = watch(reader, tables, "native", MARCH)
    assert seen == replace(seen, reader=reader.name, version=reader.version)
    assert 0 < seen.seconds < 60

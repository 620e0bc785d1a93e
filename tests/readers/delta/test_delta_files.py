"""The request log shows which data files of a Delta table each reader opens."""

from __future__ import annotations

from typing import Any

import pytest

from lab.engines.readers import find
from tests.window import window
from xtable_audit.model.predicate import Compare, Predicate
from xtable_audit.readers.observe import observe
from xtable_audit.readers.reader import Observation, Reader

MARCH = Compare("month", "=", "2023-03")


def watch(reader: Reader, tables: Any, table: str, *predicates: Predicate | None) -> list[Observation]:
    layout = getattr(tables, table)
    log = tables.store.guest(f"reader-{reader.name}").log
    return observe(reader, log, layout.metadata, predicates, layout.data)


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

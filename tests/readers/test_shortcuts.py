"""Where readers' answers come from, as `python -m tools shortcuts` finds it; and that a wrong answer would be found."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from lab.engines.readers import find, open_reader
from lab.store.log import Request
from lab.store.running import RunningStore
from tests.of_each import of_each
from tests.readers.shortcut_tables import HealthyTables
from tools.shortcuts.__main__ import ALL, BY_DEFAULT, of_reader
from tools.shortcuts.asked import TAIL, AnsweredFrom, ask, source_of
from tools.shortcuts.page import PAGE, cell, lines, row_of, wrong
from xtable_audit.model.predicate import Compare
from xtable_audit.model.subject_id import ICEBERG
from xtable_audit.readers.aggregate import Aggregate, NotOffered
from xtable_audit.readers.subprocess_reader import SubprocessReader

COUNT = Aggregate("count")
SIZE = 10 * TAIL


@pytest.fixture(scope="module")
def guest(moto_store: RunningStore) -> RunningStore:
    return moto_store.guest("shortcuts")


@pytest.fixture
def duckdb(guest: RunningStore) -> Iterator[SubprocessReader]:
    with closing(open_reader("duckdb", guest.store)) as reader:
        yield reader


@pytest.mark.slow
@of_each("name", BY_DEFAULT)
def test_the_page_says_where_a_readers_answers_come_from(
    healthy_tables: HealthyTables, guest: RunningStore, name: str
) -> None:
    with closing(open_reader(name, guest.store)) as reader:
        found = of_reader(reader, guest, healthy_tables.of(find(name).formats[0]))
    assert [*lines([found])][-1] == row_of(PAGE.read_text(encoding="utf-8"), name)


@of_each("name", ALL)
def test_the_page_has_each_reader(name: str) -> None:
    assert row_of(PAGE.read_text(encoding="utf-8"), name)


def test_a_reader_that_the_page_lacks_is_named() -> None:
    with pytest.raises(ValueError, match=r"no line of the reader nobody: write it by"):
        row_of(PAGE.read_text(encoding="utf-8"), "nobody")


def test_an_answer_that_is_not_that_of_the_values_is_wrong(
    healthy_tables: HealthyTables, guest: RunningStore, duckdb: SubprocessReader
) -> None:
    """The files have one row more than the values that the answer is held against."""
    table = healthy_tables.of(ICEBERG)
    assert guest.log is not None
    [answered] = ask(duckdb, guest.log, replace(table, rows=table.rows.slice(1)), [COUNT])
    assert (answered.source, answered.right, cell([answered])) == (AnsweredFrom.METADATA, False, "**metadata, wrong**")


def test_a_wrong_answer_is_said_in_one_line(
    healthy_tables: HealthyTables, guest: RunningStore, duckdb: SubprocessReader
) -> None:
    table = healthy_tables.of(ICEBERG)
    rows = table.rows.num_rows
    found = of_reader(duckdb, guest, replace(table, rows=table.rows.slice(1)))
    assert f"duckdb {duckdb.version} answers {rows} to count(*), from metadata" in [*wrong([found])]


def test_a_question_that_a_table_cannot_answer_is_refused(
    healthy_tables: HealthyTables, guest: RunningStore, duckdb: SubprocessReader
) -> None:
    assert guest.log is not None
    [answered] = ask(duckdb, guest.log, healthy_tables.of(ICEBERG), [Aggregate("min", "nowhere")])
    assert (answered.source, answered.right) == (AnsweredFrom.REFUSED, None)
    assert "nowhere" in answered.words


def test_a_reader_without_such_questions_offers_none(guest: RunningStore) -> None:
    with closing(SubprocessReader("plain", f"{__name__}:Plain", guest.store)) as reader, pytest.raises(NotOffered):
        reader.aggregate("s3://nowhere", COUNT)


class Plain:
    """A reader that counts matching rows alone."""

    version = "1"

    def __init__(self, store: Any, handle: Any = None) -> None:
        pass


FETCHED = {
    "nothing": ([], AnsweredFrom.METADATA),
    "another file": ([("GET", "b", None)], AnsweredFrom.METADATA),
    "its length alone": ([("HEAD", "a", None)], AnsweredFrom.METADATA),
    "its last bytes": ([("GET", "a", "bytes=-8")], AnsweredFrom.FOOTERS),
    "its end by place": ([("GET", "a", f"bytes={SIZE - TAIL}-{SIZE - 1}")], AnsweredFrom.FOOTERS),
    "its end and more": ([("GET", "a", "bytes=-8"), ("GET", "a", "bytes=4-900")], AnsweredFrom.VALUES),
    "more than its end": ([("GET", "a", f"bytes=-{TAIL + 1}")], AnsweredFrom.VALUES),
    "all of it": ([("GET", "a", None)], AnsweredFrom.VALUES),
}


@pytest.mark.parametrize(("fetched", "source"), FETCHED.values(), ids=FETCHED.keys())
def test_a_source_is_what_was_fetched(fetched: list[tuple[str, str, str | None]], source: AnsweredFrom) -> None:
    requests = [Request(method, key, "", range, "", 206) for method, key, range in fetched]
    assert source_of(requests, {"a": SIZE}) is source


def test_a_question_reads_as_it_is_asked() -> None:
    assert str(Aggregate("count", None, Compare("part", "=", "b"))) == "count(*) where part = 'b'"

"""Where readers' answers come from, as `python -m tools shortcuts` finds it; and that a wrong answer would be found."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.conversions import to_bytes
from pyiceberg.table import StaticTable
from pyiceberg.types import LongType

from lab.engines.readers import find, open_reader
from lab.store.log import Request
from lab.store.running import RunningStore
from tests.of_each import of_each
from tests.tables.shortcut_tables import HealthyTables
from tests.xtable_audit.readers.conftest import healthy_tables, moto_store
from tools.shortcuts.__main__ import ALL, BY_DEFAULT, of_reader
from tools.shortcuts.answers import (
    CHOICE,
    PAGE,
    TAIL,
    AnsweredFrom,
    ask,
    cell,
    chosen_by,
    lines,
    lines_of_choice,
    row_of,
    source_of,
    wrong,
)
from tools.shortcuts.questions import CHOOSING, SINCE, append_changed, truth
from xtable_audit.model.aggregate import Aggregate, joined, of_day, where
from xtable_audit.model.predicate import Compare
from xtable_audit.model.subject_id import ICEBERG
from xtable_audit.readers.reader import NotOffered
from xtable_audit.readers.subprocess_reader import SubprocessReader

__all__ = ["healthy_tables", "moto_store"]

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
    page = PAGE.read_text(encoding="utf-8")
    assert [*lines([found])][-1] == row_of(page, name)
    assert [*lines_of_choice([found])][-1] == row_of(page, name, CHOICE)


@of_each("name", ALL)
def test_the_page_has_each_reader(name: str) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert row_of(page, name)
    assert row_of(page, name, CHOICE)


@of_each("name", ALL)
def test_a_reader_is_asked_for_what_the_page_says_it_answers_by_metadata(name: str) -> None:
    page = PAGE.read_text(encoding="utf-8")
    [*cells, turned_off] = cells_of(row_of(page, name))
    rows, part, _, values, *ends = ["metadata" in cell for cell in cells]
    chosen = [cell == "metadata" for cell in cells_of(row_of(page, name, CHOICE))]
    joined, day, month, lower, absolute, text, top, limited = chosen
    seen = {"rows": rows, "rows of a partition": part, "values": values, "ends": any(ends)}
    seen |= {"joined rows": joined, "rows of a day": day, "rows of a month": month, "limited rows": limited}
    seen |= {"rows of an absolute value": absolute, "rows of a text": text}
    assert not lower, "there is a first reader that chooses files by lower(s): it needs a shortcut to be asked"
    assert not top, "there is a first reader that chooses files of a top-n by metadata: it needs a shortcut to be asked"
    capabilities = find(name).capabilities
    assert {one for one, is_so in seen.items() if is_so} == {*capabilities.shortcuts}
    assert capabilities.shortcuts_turn_off == (turned_off != "not offered" and bool(capabilities.shortcuts))


def cells_of(row: str) -> list[str]:
    return [one.strip() for one in row.split("|")[3:-1]]


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
        reader.aggregate("s3://nowhere", [COUNT])


class Plain:
    """A reader that counts matching rows alone."""

    version = "1"

    def __init__(self, store: Any, handle: Any = None) -> None:
        pass


TURNED_OFF = {
    "DuckDB's join": ("duckdb", joined("id", (7, 9))),
    "DuckDB's date": ("duckdb", of_day("at", SINCE)),
    "ClickHouse's date": ("clickhouse", of_day("at", SINCE)),
    "ClickHouse's month": ("clickhouse", *CHOOSING["`month(ts) = …`"]),
    "ClickHouse's absolute value": ("clickhouse", *CHOOSING["`abs(i) = …`"]),
    "ClickHouse's cast": ("clickhouse", *CHOOSING["`CAST(i AS VARCHAR) = …`"]),
}
"""What loses rows by a false bound, and not where the reader's shortcuts are off."""
FAR = {"id": 10**15, "at": 10**17}
"""Beyond every value."""


@pytest.fixture(scope="module")
def misbounded(
    moto_store: RunningStore, healthy_tables: HealthyTables, tmp_path_factory: pytest.TempPathFactory
) -> str:
    """The location of a table of the healthy one's files, with bounds of two columns that lie beyond their values."""
    settings = {"uri": f"sqlite:///{tmp_path_factory.mktemp('catalog')}/c.db", **moto_store.store.pyiceberg()}
    healthy = StaticTable.from_metadata(healthy_tables.of(ICEBERG).location, moto_store.store.pyiceberg())
    far = {healthy.schema().find_field(name).field_id: to_bytes(LongType(), value) for name, value in FAR.items()}
    with SqlCatalog("misbounded", **settings) as catalog:
        catalog.create_namespace("t")
        table = catalog.create_table("t.t", healthy.schema(), moto_store.store.uri("misbounded"), healthy.spec())
        append_changed(table, healthy, dict.fromkeys(("lower_bounds", "upper_bounds"), lambda bounds: bounds | far))
        return str(table.metadata_location)


@pytest.mark.parametrize(("name", "asked"), TURNED_OFF.values(), ids=TURNED_OFF.keys())
def test_a_false_bound_loses_rows_but_where_the_shortcut_is_off(
    healthy_tables: HealthyTables, guest: RunningStore, misbounded: str, name: str, asked: Aggregate
) -> None:
    with closing(open_reader(name, guest.store)) as reader:
        assert [*reader.aggregate(misbounded, [asked])] == [0]
        assert [*reader.aggregate(misbounded, [asked], shortcut=False)] == [
            truth(healthy_tables.of(ICEBERG).rows, asked)
        ]


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


CHOSEN = {
    "one file and nothing of the other": ([("GET", "a", None)], AnsweredFrom.METADATA),
    "one file and the end of the other": ([("GET", "a", None), ("GET", "b", "bytes=-8")], AnsweredFrom.FOOTERS),
    "both files": ([("GET", "a", None), ("GET", "b", "bytes=4-900")], AnsweredFrom.VALUES),
}


@pytest.mark.parametrize(("fetched", "source"), CHOSEN.values(), ids=CHOSEN.keys())
def test_files_are_chosen_by_what_was_fetched_of_the_others(
    fetched: list[tuple[str, str, str | None]], source: AnsweredFrom
) -> None:
    requests = [Request(method, key, "", range, "", 206) for method, key, range in fetched]
    assert chosen_by(requests, {"a": SIZE, "b": SIZE}) is source


READS = {
    Aggregate("count", None, Compare("part", "=", "b")): "count(*) where part = 'b'",
    joined("id", (3, 5)): "count(*) of a join on id with 3, 5",
    of_day("at", dt.datetime(2023, 3, 1)): "count(*) where date(at) = DATE '2023-03-01'",
    where("month", 3, Compare("at", ">", dt.datetime(2023, 3, 1))): "count(*) where month(at) = 3",
    where("text", "7", Compare("id", "=", 7)): "count(*) where cast(id as string) = '7'",
    Aggregate("min", "id", form="top"): "min(id) by ORDER BY … LIMIT 1",
    Aggregate("count", form="limit", limit=9): "count(*) of LIMIT 9",
}


@of_each("asked", READS, ids=str)
def test_a_question_reads_as_it_is_asked(asked: Aggregate) -> None:
    assert str(asked) == READS[asked]

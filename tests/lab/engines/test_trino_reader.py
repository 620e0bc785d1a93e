"""Trino, a process on its own PostgreSQL: rows, files planned and read, newer metadata, other people's catalogs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from lab.engines.readers import open_reader
from lab.engines.registry import RunningEngine
from lab.engines.trino.client import Client, FileCatalogs, TrinoHandle
from lab.store import objects
from lab.store.address import Workspace
from lab.store.running import RunningStore
from tests.lab.engines.trino_engine import opened, order
from tests.of_each import of_each
from tests.window import window
from tests.xtable_audit.readers.test_answers import GRID, holds
from xtable_audit.model.predicate import And, Compare, IsNull, Or, Predicate, StartsWith
from xtable_audit.model.problem import Problem
from xtable_audit.readers.observe import observe
from xtable_audit.readers.reader import Observation, Refusal
from xtable_audit.readers.subprocess_reader import SubprocessReader

pytestmark = pytest.mark.slow

GUEST = "reader-trino"
MARCH = Compare("month", "=", "2023-03")
EITHER = Or(MARCH, Compare("id", "<", 5))
NOBODY = Compare("id", ">", 10_000)


@pytest.fixture(scope="module")
def engine(moto_store: RunningStore, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningEngine]:
    with opened(order("process", moto_store, tmp_path_factory.mktemp("logs"))) as running:
        yield running


@pytest.fixture(scope="module")
def handle(engine: RunningEngine) -> TrinoHandle:
    trino_handle: TrinoHandle = engine.handle
    return trino_handle


@pytest.fixture(scope="module")
def trino(handle: TrinoHandle, moto_store: RunningStore) -> Iterator[SubprocessReader]:
    reader = open_reader("trino", moto_store.guest(GUEST).store, handle)
    yield reader
    reader.close()


def watch(trino: SubprocessReader, tables: Any, table: str, predicate: Predicate | None) -> Observation:
    layout = getattr(tables, table)
    (observation,) = observe(trino, tables.store.guest(GUEST).log, layout.metadata, [predicate], layout.data)
    return observation


def statement(handle: TrinoHandle, sql: str) -> list[list[Any]]:
    with Client(handle.server) as client:
        return client.run(sql).rows


@of_each("predicate", GRID, ids=str)
def test_trino_counts_the_rows_that_match(trino: SubprocessReader, tables: Any, predicate: Predicate) -> None:
    actual = sum(holds(predicate, row) is True for row in tables.rows)
    assert trino.query(tables.native.metadata, predicate).rows == actual


def test_a_nested_column_is_named_by_its_path(trino: SubprocessReader, tables: Any) -> None:
    assert trino.query(tables.native.metadata, Compare("place.x", "<", 7.0)).rows == 7


Seen = Callable[[str, Predicate | None], Observation]
PREFIX = StartsWith("month", "2023-03")
ASKED: dict[str, tuple[Predicate | None, ...]] = {
    "native": (
        *(None, MARCH, NOBODY, EITHER, PREFIX),
        *(Compare("id", "=", 60), IsNull("zone"), And(MARCH, Compare("distance", "<", 28.0))),
    ),
    "added": (None, MARCH, EITHER),
    "scattered": (None, MARCH),
}
"""Every kind of predicate of one table, and of each other one what tells it from that."""


@pytest.fixture(scope="module")
def seen(trino: SubprocessReader, tables: Any) -> Seen:
    """What Trino answers of a table, and what it opens: asked once for all that is asserted of it."""
    return cache(lambda table, predicate: watch(trino, tables, table, predicate))


@pytest.mark.parametrize(
    ("table", "predicate"), [(table, predicate) for table, asked in ASKED.items() for predicate in asked], ids=str
)
def test_trino_opens_as_many_files_as_it_plans(seen: Seen, table: str, predicate: Predicate | None) -> None:
    one = seen(table, predicate)
    assert one.answer
    assert one.read is not None
    assert (one.answer.live, one.answer.planned_count) == (4, len(one.read))


@pytest.mark.parametrize(
    ("table", "predicate", "files", "scanned"),
    [
        ("native", MARCH, 1, 50),
        ("native", PREFIX, 1, 50),
        ("scattered", MARCH, 4, 200),
        ("native", NOBODY, 0, 0),
        ("added", None, 4, 200),
        ("native", EITHER, 4, 200),  # no OR over two columns is pushed down
    ],
    ids=["native month", "native prefix", "scattered month", "nobody", "added all", "either"],
)
def test_trino_reports_what_it_lists_plans_and_scans(
    seen: Seen, table: str, predicate: Predicate | None, files: int, scanned: int
) -> None:
    answer = seen(table, predicate).answer
    assert answer
    assert (answer.live, answer.plans, answer.scanned, answer.unknown_plan) == (4, files, scanned, None)


def test_where_nothing_can_match_trino_scans_nothing_and_says_nothing_of_files(
    trino: SubprocessReader, tables: Any
) -> None:
    answer = trino.query(tables.native.metadata, Compare("distance", "=", float("nan")))
    assert (answer.rows, answer.planned_count, answer.unknown_plan) == (0, None, None)


def test_metadata_is_read_anew_for_every_question(trino: SubprocessReader, tables: Any) -> None:
    trino.query(tables.native.metadata, MARCH)
    with window(tables.store.guest(GUEST).log) as seen:
        trino.query(tables.native.metadata, MARCH)
    fetched = [request.key.rpartition(".")[2] for request in seen if request.method == "GET"]
    assert sorted(set(fetched)) == ["avro", "json", "parquet"]


def test_two_readers_of_one_trino_read_each_under_its_own_key(
    trino: SubprocessReader, handle: TrinoHandle, tables: Any
) -> None:
    other = open_reader("trino", tables.store.guest("other").store, handle)
    try:
        with window(tables.store.guest("other").log) as seen:
            trino.query(tables.native.metadata, MARCH)
            assert other.query(tables.native.metadata, MARCH).rows == 50
    finally:
        other.close()
    assert len([request for request in seen if request.key.endswith(".parquet")]) == 1


def test_the_newer_metadata_of_a_table_is_the_one_that_is_read(trino: SubprocessReader, tables: Any) -> None:
    store = tables.store.store
    folder = store.key(tables.scattered.metadata).rpartition("/")[0]
    versions = [store.uri(key) for key in objects.list_objects(store, folder) if key.endswith(".metadata.json")]
    assert [trino.query(version, None).rows for version in sorted(versions)] == [0, 50, 100, 150, 200]
    assert trino.query(sorted(versions)[1], None).live == 1


@pytest.mark.parametrize("file", ["metadata.json", "manifest list", "manifest", "data"])
def test_a_truncated_file_is_reported_in_one_line_and_the_next_question_is_answered(
    trino: SubprocessReader, tables: Any, file: str
) -> None:
    store = tables.store.store
    keys: dict[str, Callable[[], str]] = {
        "metadata.json": lambda: store.key(tables.native.metadata),
        "manifest list": lambda: one_of(store, tables.native.metadata, "snap-", ".avro"),
        "manifest": lambda: one_of(store, tables.native.metadata, "", "-m0.avro"),
        "data": lambda: next(key for key in tables.native.data if "month=2023-03" in key),
    }
    key = keys[file]()
    whole = objects.read(store, key)
    objects.write(store, key, whole[: len(whole) // 2])
    try:
        seen = watch(trino, tables, "native", MARCH)
    finally:
        objects.write(store, key, whole)
    assert seen.answer is None
    assert seen.error
    assert seen.error.split(":")[0].isupper()
    assert trino.query(tables.native.metadata, MARCH).rows == 50


def one_of(store: Workspace, metadata: str, beginning: str, ending: str) -> str:
    """The key of the table's only metadata file of that kind."""
    keys = objects.list_objects(store, store.key(metadata).rpartition("/")[0])
    (key,) = [key for key in keys if key.rpartition("/")[2].startswith(beginning) and key.endswith(ending)]
    return key


@pytest.mark.parametrize(
    ("metadata", "words"),
    [
        ("s3://xtable-audit/nowhere/metadata/v1.metadata.json", "nowhere"),
        ("s3://xtable-audit/v1.metadata.json", "Trino registers a metadata.json in the folder metadata/"),
    ],
)
def test_a_table_that_is_not_there_is_reported_in_one_line(trino: SubprocessReader, metadata: str, words: str) -> None:
    with pytest.raises(Refusal, match=words):
        trino.query(metadata, None)


def test_a_missing_column_is_reported_in_one_line(trino: SubprocessReader, tables: Any) -> None:
    with pytest.raises(Refusal, match=r"COLUMN_NOT_FOUND: .*'nope' cannot be resolved"):
        trino.query(tables.native.metadata, Compare("nope", "=", 1))


def test_the_version_is_the_servers(trino: SubprocessReader, engine: RunningEngine) -> None:
    assert trino.version == engine.version == "476"


def test_trino_listens_on_127_0_0_1_alone(handle: TrinoHandle) -> None:
    port = int(handle.server.url.rpartition(":")[2])
    listening = [line.split()[1] for line in Path("/proc/net/tcp").read_text().splitlines() if " 0A " in line]
    everywhere = [line.split()[1] for line in Path("/proc/net/tcp6").read_text().splitlines() if " 0A " in line]
    assert [place for place in listening + everywhere if place.endswith(f":{port:04X}")] in (
        [f"0100007F:{port:04X}"],
        [f"0000000000000000FFFF00000100007F:{port:04X}"],
    )


def test_by_its_url_it_is_read_with_a_metastore_in_the_bucket_and_left_as_it_was(
    handle: TrinoHandle, tables: Any, tmp_path: Path
) -> None:
    before = statement(handle, "SHOW CATALOGS")
    with opened(order(handle.server.url, tables.store, tmp_path)) as theirs:
        reader = open_reader("trino", tables.store.guest("by-url").store, theirs.handle)
        assert reader.query(tables.native.metadata, MARCH).rows == 50
        reader.close()
        assert statement(handle, "SHOW CATALOGS") != before
    assert statement(handle, "SHOW CATALOGS") == before
    assert not objects.list_objects(tables.store.store, "_trino_metastore")


def test_a_catalog_of_theirs_is_read_unwatched_and_left_as_it_was(
    trino: SubprocessReader, handle: TrinoHandle, tables: Any, tmp_path: Path
) -> None:
    trino.query(tables.native.metadata, None)
    query = f"SELECT catalog_name FROM system.metadata.catalogs WHERE catalog_name LIKE '{handle.prefix}%' LIMIT 1"
    ((catalog,),) = statement(handle, query)
    before = statement(handle, f"SHOW SCHEMAS FROM {catalog}")
    with opened(order(f"{handle.server.url}/{catalog}", tables.store, tmp_path)) as theirs:
        assert not theirs.handle.watched
        reader = open_reader("trino", tables.store.guest("given").store, theirs.handle)
        assert reader.query(tables.native.metadata, MARCH).rows == 50
        reader.close()
    assert statement(handle, f"SHOW SCHEMAS FROM {catalog}") == before
    assert trino.query(tables.native.metadata, MARCH).rows == 50


def test_a_catalog_that_is_not_theirs_is_answered_with_those_that_are(
    trino: SubprocessReader, handle: TrinoHandle, moto_store: RunningStore, tmp_path: Path
) -> None:
    with (
        pytest.raises(Problem, match=f"has no Iceberg catalog system; its Iceberg catalogs: {handle.prefix}"),
        opened(order(f"{handle.server.url}/system", moto_store, tmp_path)),
    ):
        pass


def test_a_trino_that_died_is_a_problem_and_no_finding(engine: RunningEngine, tables: Any, tmp_path: Path) -> None:
    """With catalogs of files, for a database of theirs may go on. The last test of this Trino."""
    handle = replace(engine.handle, catalogs=FileCatalogs("local:///metastore", str(tmp_path)))
    reader = open_reader("trino", tables.store.guest("mourner").store, handle)
    assert reader.query(tables.native.metadata, MARCH).rows == 50
    engine.stop()
    log = re.escape(str(handle.server.log))
    with pytest.raises(Problem, match=rf"Trino at .* is gone or does not answer .*: see its log {log}"):
        reader.query(tables.native.metadata, MARCH)
    reader.close()

"""Readers are known by the ids users type, can do what their adapters say, and fail without taking the run along."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from packaging.utils import canonicalize_name

from lab.engines.readers import ADAPTERS, BASELINES, EMBEDDED, READERS, embedded, find, open_reader, readers_of
from lab.stack.project import ROOT
from lab.store import objects
from lab.store.address import Workspace
from tests.imports import distributions
from tests.of_each import of_each
from tests.wait_until import comes_true
from xtable_audit.model.predicate import Compare
from xtable_audit.model.problem import Problem
from xtable_audit.model.subject_id import DELTA, HUDI, ICEBERG
from xtable_audit.readers import registry
from xtable_audit.readers.observe import observe
from xtable_audit.readers.reader import Reader
from xtable_audit.readers.registry import Capabilities
from xtable_audit.readers.subprocess_reader import SubprocessReader

NOWHERE = Workspace("http://127.0.0.1:9", "key", "secret")
MARCH = Compare("month", "=", "2023-03")


# Readers are known by the ids users type.


def test_the_readers_that_come_by_pip_are_known_by_their_ids() -> None:
    assert list(EMBEDDED) == ["pyiceberg", "duckdb", "clickhouse", "polars", "daft"]


def test_the_readers_that_need_an_engine_are_known_by_their_ids() -> None:
    assert [name for name in readers_of(ICEBERG) if name not in EMBEDDED] == ["spark", "trino", "firebolt"]


def test_the_readers_of_delta_tables_are_known_by_their_ids() -> None:
    assert readers_of(DELTA) == (*embedded(DELTA), "spark_delta")
    assert embedded(DELTA) == ("deltalake", "polars_delta", "duckdb_delta")


def test_the_readers_of_hudi_tables_need_an_engine() -> None:
    assert (readers_of(HUDI), embedded(HUDI)) == (("spark_hudi", "spark_hudi_unskipped"), ())


def test_every_reader_opens_one_format() -> None:
    assert sorted(READERS) == sorted((*readers_of(ICEBERG), *readers_of(DELTA), *readers_of(HUDI)))


@of_each("reader", READERS)
def test_every_reader_says_what_it_can_and_cannot(reader: str) -> None:
    adapter = ADAPTERS[reader]
    assert all([adapter.capabilities.plan, adapter.limits, adapter.s3, adapter.needs])


@of_each("name", [*ADAPTERS, *BASELINES])
def test_the_distribution_of_an_adapter_is_what_installs_its_module(name: str) -> None:
    adapter = find(name)
    installing = {canonicalize_name(name) for name in distributions()[adapter.module]}
    assert adapter.distribution in installing


@of_each("name", [*ADAPTERS, *BASELINES])
def test_the_version_of_the_distribution_is_the_modules(name: str) -> None:
    adapter = find(name)
    assert adapter.installed == versions_by_modules()[adapter.module]


@cache
def versions_by_modules() -> dict[str, str]:
    """What each module says of itself, in a process that imports nothing else."""
    modules = sorted({find(name).module for name in (*ADAPTERS, *BASELINES)})
    code = f"import json, importlib as of; print(json.dumps([of.import_module(m).__version__ for m in {modules}]))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return dict(zip(modules, json.loads(ran.stdout), strict=True))


def test_an_unknown_reader_is_refused_with_the_list_of_the_known() -> None:
    with pytest.raises(Problem, match="no reader presto; the readers are pyiceberg, duckdb, clickhouse, polars"):
        open_reader("presto", NOWHERE)


def test_a_reader_that_is_not_installed_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xtable_audit.readers.registry.find_spec", lambda name: None)
    with pytest.raises(Problem, match=r"reader clickhouse is not installed: pip install -r requirements\.txt"):
        open_reader("clickhouse", NOWHERE)


def test_where_the_suite_is_not_at_hand_the_extra_is_to_be_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xtable_audit.readers.registry.find_spec", lambda name: None)
    with pytest.raises(Problem, match=r"reader daft is not installed: pip install 'xtable-audit\[readers\]'"):
        registry.open_reader("daft", NOWHERE)


def test_no_engine_is_imported_by_the_calling_process() -> None:
    modules = {adapter.module for adapter in (*ADAPTERS.values(), *BASELINES.values())}
    live = f"import sys, lab.engines.readers, xtable_audit.readers.observe; print({modules} & set(sys.modules))"
    told = subprocess.run([sys.executable, "-c", live], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "set()"


# Every reader can do what its adapter says of it, and no more.


def test_a_reader_reports_of_its_plan_what_its_adapter_says(reader: Reader, tables: Any) -> None:
    answer = reader.query(tables.native.metadata, MARCH)
    planned = "names" if answer.planned is not None else "count" if answer.planned_count is not None else None
    able = find(reader.name).capabilities
    assert (answer.live is not None, planned, answer.scanned is not None) == (able.live, able.planned, able.scanned)


def test_a_reader_wants_its_metadata_in_a_folder_where_its_adapter_says(reader: Reader, tables: Any) -> None:
    store = tables.store.store
    key = store.key(tables.native.metadata)
    elsewhere = key.replace("/metadata/", "/elsewhere/")
    objects.write(store, elsewhere, objects.read(store, key))
    [seen] = observe(reader, None, store.uri(elsewhere), [MARCH], ())
    assert (seen.error is not None) == find(reader.name).capabilities.needs_metadata_folder, seen.error


WORDS = {
    "reports nothing": Capabilities(),
    "reports nothing; pyiceberg plans for it": Capabilities(planner="pyiceberg"),
    "reports the planned files by name": Capabilities(planned="names"),
    "reports the number of live files, the number of planned files, the rows scanned": Capabilities(
        live=True, planned="count", scanned=True
    ),
}


@pytest.mark.parametrize(("words", "able"), WORDS.items(), ids=WORDS.keys())
def test_capabilities_are_listed_in_words(words: str, able: Capabilities) -> None:
    assert able.plan == words


# A reader works in a process of its own, which may fail without taking the run along.

OPENS_A_READER = """
from lab.engines.readers import open_reader
from lab.store.address import Workspace
reader = open_reader("pyiceberg", Workspace("http://127.0.0.1:9", "key", "secret"))
print(reader.version and reader.pid, flush=True)
input()
"""


@pytest.fixture
def apart(tables: Any) -> Iterator[SubprocessReader]:
    reader = open_reader("pyiceberg", tables.store.store)
    yield reader
    reader.close()


def test_a_reader_that_ends_over_a_question_is_an_error_in_words(
    apart: SubprocessReader, tables: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert apart.version
    os.kill(apart.pid, signal.SIGSTOP)  # so that it cannot answer first
    receive = apart._receive

    def die_first() -> object:
        os.kill(apart.pid, signal.SIGKILL)
        return receive()

    monkeypatch.setattr(apart, "_receive", die_first)
    [seen] = observe(apart, tables.store.log, tables.native.metadata, [MARCH], tables.native.data)
    assert (seen.rows, seen.error) == (None, "pyiceberg ended its process (Killed)")


def test_a_reader_that_was_killed_answers_the_next_question(apart: SubprocessReader, tables: Any) -> None:
    assert apart.version
    os.kill(apart.pid, signal.SIGKILL)
    apart._process.wait(10)  # a killed process of many threads looks dead before it is
    assert apart.query(tables.native.metadata, MARCH).rows == 50


def test_a_reader_that_is_ended_leaves_no_temporary_file(
    tables: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ClickHouse makes a folder, which it deletes only where it ends by itself."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    reader = open_reader("clickhouse", tables.store.store)
    assert reader.query(tables.native.metadata, MARCH).rows == 50
    assert [*tmp_path.rglob("clickhouse*")]
    reader.close()
    assert [*tmp_path.iterdir()] == []


def test_a_reader_ends_with_its_parent_even_when_that_is_killed(tmp_path: Path) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", OPENS_A_READER],
        cwd=ROOT,
        env=os.environ | {"TMPDIR": str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdin
    assert parent.stdout
    with parent.stdin, parent.stdout:
        child = int(parent.stdout.readline())
        parent.kill()
        parent.wait()
    assert comes_true(lambda: has_ended(child), 10)


def has_ended(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z"


def test_a_reader_that_cannot_be_loaded_is_a_problem_and_no_answer() -> None:
    reader = open_reader("trino", Workspace("http://127.0.0.1:9", "key", "secret"))  # without a server
    with pytest.raises(Problem, match="reader trino needs a Trino"):
        observe(reader, None, "s3://b/metadata/v1.metadata.json", [None], ())


def test_a_reader_that_cannot_be_loaded_is_a_problem_however_often_it_is_asked() -> None:
    reader = open_reader("trino", Workspace("http://127.0.0.1:9", "key", "secret"))
    for _ in range(4):
        with pytest.raises(Problem, match="reader trino needs a Trino"):
            observe(reader, None, "s3://b/metadata/v1.metadata.json", [None], ())


def test_a_reader_whose_process_ends_while_it_is_loaded_is_an_error_however_often_it_is_asked() -> None:
    reader = SubprocessReader("broken", "antigravity_that_is_not_there:Reader", Workspace("", "", ""))
    for _ in range(3):
        [seen] = observe(reader, None, "s3://b/metadata/v1.metadata.json", [None], ())
        assert "No module named 'antigravity_that_is_not_there'" in str(seen.error)

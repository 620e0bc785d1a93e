"""Readers are known by the ids users type, and can do what their adapters say of them."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import packages_distributions
from typing import Any

import pytest
from packaging.utils import canonicalize_name

from lab.engines.readers import ADAPTERS, BASELINES, EMBEDDED, READERS, embedded, find, open_reader, readers_of
from lab.store import objects
from lab.store.address import Workspace
from xtable_audit.model.predicate import Compare
from xtable_audit.model.problem import Problem
from xtable_audit.model.subject_id import DELTA, ICEBERG
from xtable_audit.readers import registry
from xtable_audit.readers.observe import observe
from xtable_audit.readers.reader import Reader
from xtable_audit.readers.registry import Capabilities

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


def test_every_reader_opens_one_format() -> None:
    assert sorted(READERS) == sorted((*readers_of(ICEBERG), *readers_of(DELTA)))


@pytest.mark.parametrize("reader", READERS)
def test_every_reader_says_what_it_can_and_cannot(reader: str) -> None:
    adapter = ADAPTERS[reader]
    assert all([adapter.capabilities.plan, adapter.limits, adapter.s3, adapter.needs])


@pytest.mark.parametrize("name", [*ADAPTERS, *BASELINES])
def test_the_distribution_of_an_adapter_is_what_installs_its_module(name: str) -> None:
    adapter = find(name)
    installing = {canonicalize_name(name) for name in packages_distributions()[adapter.module]}
    assert adapter.distribution in installing


@pytest.mark.parametrize("name", [*ADAPTERS, *BASELINES])
def test_the_version_of_the_distribution_is_the_modules(name: str) -> None:
    adapter = find(name)
    code = f"import {adapter.module}; print({adapter.module}.__version__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert adapter.installed == done.stdout.strip()


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

"""Spark as an engine: nothing is started, all that a reader starts it with is handed over."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from lab.engines.registry import Order, expected_version, open_engine
from lab.engines.spark.open import SparkHome
from lab.stack.cache import Cache
from lab.stack.maven_repositories import Progress
from lab.stack.versions import Stack, stack
from lab.store.running import RunningStore
from xtable_audit.model.problem import Problem

JARS = (Path("/cache/iceberg.jar"), Path("/cache/hadoop-aws.jar"))


def no_store() -> RunningStore:
    raise AssertionError("Spark needs no store to be found")


@pytest.fixture
def order(tmp_path: Path) -> Order:
    return Order("auto", no_store, tmp_path, Cache(tmp_path), print)


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Jars and Java appear to be installed; the list holds the requested Java versions."""
    requested: list[str] = []

    def find_java(major: int, cache: Cache) -> Path:
        requested.append(f"Java {major}")
        return Path("/java")

    monkeypatch.setattr("lab.engines.spark.open.resolve_spark_jars", lambda stack, progress: JARS)
    monkeypatch.setattr("lab.engines.spark.open.find_java", find_java)
    return requested


def test_the_handle_names_java_and_jars_and_travels_to_another_process(order: Order, found: list[str]) -> None:
    handle = open_engine("spark", order).handle
    assert pickle.loads(pickle.dumps(handle)) == SparkHome(Path("/java"), JARS)
    assert found == [f"Java {stack().java}"]


def test_the_engine_is_described_by_its_versions(order: Order, found: list[str]) -> None:
    running = open_engine("spark", order)
    assert running.version == expected_version("spark", "auto") == stack().spark
    assert f"Spark {stack().spark} with Iceberg {stack().iceberg}" in running.detail


def test_a_download_is_shown(order: Order, found: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def resolve(stack: Stack, progress: Progress) -> tuple[Path, ...]:
        progress(12_900_000, "a.jar")
        return JARS

    monkeypatch.setattr("lab.engines.spark.open.resolve_spark_jars", resolve)
    reports: list[str] = []
    open_engine("spark", replace(order, report=reports.append))
    assert reports == ["downloading Spark's jars, 12 MB so far"]


def test_without_pyspark_the_engine_says_what_to_install(order: Order, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lab.engines.spark.open.find_spec", lambda name: None)
    with pytest.raises(Problem, match=f"Spark is not installed: pip install pyspark=={stack().spark}"):
        open_engine("spark", order)

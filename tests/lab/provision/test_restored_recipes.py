"""The published tables from their recording: only with the options and versions with which they are recorded."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from lab.provision import source_tables
from lab.provision.plan import Plan
from lab.provision.progress import Progress
from lab.provision.recorded_sources import FACTS, TREE, RecordedRecipe
from lab.provision.source_tables import Datasets
from lab.stack.cache import Cache
from lab.stack.versions import stack
from lab.store import moto
from lab.store.address import BUCKET
from lab.store.disk import Disk
from spark_jobs.recipes import RECIPES
from xtable.replay import PROVENANCE, RECORDINGS, SOURCES, checksums

PLAN = Plan()
GOOD = RECIPES["good_layout"]


@pytest.mark.parametrize("name", RECIPES)
def test_a_published_table_is_restored_byte_for_byte(name: str, tmp_path: Path) -> None:
    recorded = RecordedRecipe.find(RECIPES[name], PLAN, BUCKET)
    assert recorded is not None
    restored = recorded.restored(Cache(tmp_path))
    facts = json.loads((restored / FACTS).read_text(encoding="utf-8"))
    assert checksums(restored / TREE) == checksums(RECORDINGS / SOURCES / name)
    assert len(facts["build"]) == len(checksums(restored / TREE))
    assert facts["versions"]["spark"] == recorded.recording.sources["stack"]["spark"]


OTHERS: dict[str, dict[str, Any]] = {"a scale": {"scale": 0.02}, "a seed": {"seed": 8}, "a year": {"year": 2022}}


@pytest.mark.parametrize("option", OTHERS.values(), ids=OTHERS)
def test_one_of_other_options_is_not_recorded(option: dict[str, Any]) -> None:
    assert RecordedRecipe.find(GOOD, replace(PLAN, **option), BUCKET) is None


def test_one_of_another_bucket_is_not_recorded() -> None:
    assert RecordedRecipe.find(GOOD, PLAN, "another-bucket") is None


def test_one_of_another_entry_is_not_recorded() -> None:
    assert RecordedRecipe.find(replace(GOOD, partition_spec="pickup_month:DAY"), PLAN, BUCKET) is None


def test_one_of_other_versions_is_not_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    newer = replace(stack(), spark="3.5.10")
    monkeypatch.setattr("lab.provision.recorded_sources.stack", lambda: newer)
    assert RecordedRecipe.find(GOOD, PLAN, BUCKET) is None


def test_without_a_recording_none_is_recorded(tmp_path: Path) -> None:
    assert RecordedRecipe.find(GOOD, PLAN, BUCKET, tmp_path) is None


WRITTEN_BY_SPARK = {
    "written": replace(PLAN, sources="written"),
    "real trips": replace(PLAN, tlc=Path(__file__).parent),
    "another seed": replace(PLAN, seed=8),
}


class Begun(Exception):
    """Spark would start."""


@pytest.mark.parametrize("plan", WRITTEN_BY_SPARK.values(), ids=WRITTEN_BY_SPARK)
def test_spark_starts_where_nothing_is_recorded_or_all_are_written(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Begun):
        live(plan, tmp_path, monkeypatch)


def test_spark_does_not_start_for_a_recorded_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    day = str(json.loads((RECORDINGS / SOURCES / PROVENANCE).read_text())["recorded_at"])[:10]
    assert live(PLAN, tmp_path, monkeypatch) == {GOOD.name: day}


def live(plan: Plan, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str | None]:
    """Builds the table on an empty cache. Returns the day of its recording, by its name."""

    def begun(*_: object, **__: object) -> None:
        raise Begun

    monkeypatch.setenv("XTABLE_AUDIT_CACHE", str(folder / "cache"))
    monkeypatch.setattr(source_tables, "resolve_spark_jars", lambda *_: ())
    monkeypatch.setattr(source_tables, "find_java", lambda *_: folder)
    monkeypatch.setattr(source_tables, "run", begun)
    with moto.start() as running:
        disk = Disk(folder / "disk", running.store.bucket)
        built = Datasets(plan, disk, lambda: running, Progress(Console(quiet=True)), folder)
        built.live(GOOD)
    return built.recorded_on

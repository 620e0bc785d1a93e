"""The control's metadata is written once for a table at an address, and comes from the cache after that."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pyiceberg.table import StaticTable
from rich.console import Console

from provision import translation
from provision.datasets import Dataset
from provision.plan import Plan
from provision.progress import Progress
from provision.translation import Translated, Translation, Translations
from spark_jobs.recipes import RECIPES
from store import moto, objects
from store.address import prefix_of
from store.running import RunningStore
from xtable import control
from xtable.replay import RECORDINGS, SOURCES

RECIPE = RECIPES["good_layout"]
DATASET = Dataset(RECIPE, prefix_of(RECIPE.name), "a-key", "recorded", {})
Control = Callable[..., Translated]


@pytest.fixture(scope="module")
def running() -> Iterator[RunningStore]:
    with moto.start() as started:
        objects.upload(started.store, DATASET.prefix, RECORDINGS / SOURCES / RECIPE.name)
        yield started


@pytest.fixture(scope="module")
def files(running: RunningStore) -> list[str]:
    keys = objects.list_objects(running.store, DATASET.prefix)
    return [running.store.uri(key) for key in keys if key.endswith(".parquet") and ".hoodie" not in key]


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The prefixes that PyIceberg has written to."""
    prefixes: list[str] = []
    write = control.translate

    def translate(*arguments: object) -> str:
        prefixes.append(str(arguments[-1]))
        return write(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(control, "translate", translate)
    return prefixes


@pytest.fixture
def translated(running: RunningStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Control:
    """The control of a new run, on one cache, which is empty at first."""
    monkeypatch.setenv("XTABLE_AUDIT_CACHE", str(tmp_path / "cache"))

    def run(dataset: Dataset, files: list[str]) -> Translated:
        choice, progress = Translation("absent", "0.4.0"), Progress(Console(quiet=True))
        return Translations(Plan(), choice, running.store, progress, tmp_path).control(dataset, files)

    return run


def test_what_is_kept_is_what_was_written(
    translated: Control, running: RunningStore, written: list[str], files: list[str]
) -> None:
    first = translated(DATASET, files)
    prefix = written[0]
    before = {key: objects.read(running.store, key) for key in objects.list_objects(running.store, prefix)}
    objects.delete(running.store, prefix)
    again = translated(DATASET, files)
    after = {key: objects.read(running.store, key) for key in objects.list_objects(running.store, prefix)}
    assert (again, after, written) == (first, before, [prefix])
    table = StaticTable.from_metadata(again.metadata_location, running.store.pyiceberg())
    assert {task.file.file_path for task in table.scan().plan_files()} == set(files)


def test_what_a_run_left_there_is_gone(translated: Control, running: RunningStore, files: list[str]) -> None:
    location = translated(DATASET, files).metadata_location
    stray = f"{running.store.key(location).rpartition('/')[0]}/stray.avro"
    objects.write(running.store, stray, b"")
    translated(DATASET, files)
    assert stray not in objects.list_objects(running.store, stray.rpartition("/")[0])


@pytest.mark.parametrize("other", ["another build", "fewer files", "other columns", "other code"])
def test_another_control_is_written_anew(
    translated: Control, written: list[str], files: list[str], monkeypatch: pytest.MonkeyPatch, other: str
) -> None:
    translated(DATASET, files)
    if other == "other code":
        monkeypatch.setattr(translation, "CONTROL", "another digest")
    dataset = {
        "another build": replace(DATASET, key="another-key"),
        "other columns": replace(DATASET, recipe=replace(RECIPE, partition_by=())),
    }.get(other, DATASET)
    translated(dataset, files[:1] if other == "fewer files" else files)
    assert len(written) == 2


def test_a_refusal_is_not_kept(translated: Control, written: list[str], files: list[str]) -> None:
    for _ in range(2):
        refused = translated(DATASET, [*files, files[0].replace(".parquet", "-gone.parquet")])
        assert (refused.metadata_location, (refused.failure or "").partition(":")[0]) == ("", "add_files refuses it")
    assert len(written) == 2

"""The control's metadata is written once for a table at an address, and comes from the cache after that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from pyiceberg.table import StaticTable
from rich.console import Console

from provision import translation
from provision.datasets import Dataset
from provision.plan import Plan
from provision.progress import Progress
from provision.translation import ChosenTranslation, Translated, Translations
from spark_jobs.recipes import RECIPES
from store.address import prefix_of
from store.disk import Disk
from store.running import no_store
from store.workspace import BUCKET
from xtable import control
from xtable.replay import RECORDINGS, SOURCES

RECIPE = RECIPES["good_layout"]
DATASET = Dataset(RECIPE, prefix_of(RECIPE.name), "a-key", "recorded", {})
Control = Callable[..., Translated]


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    disk = Disk(tmp_path / "tables", BUCKET)
    disk.show(DATASET.prefix, RECORDINGS / SOURCES / RECIPE.name)
    return disk


@pytest.fixture
def files(disk: Disk) -> list[str]:
    return [disk.uri(key) for key in disk.files(DATASET.prefix) if key.endswith(".parquet") and ".hoodie" not in key]


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
def translated(disk: Disk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Control:
    """The control of a new run, on one cache, which is empty at first."""
    monkeypatch.setenv("XTABLE_AUDIT_CACHE", str(tmp_path / "cache"))

    def run(dataset: Dataset, files: list[str]) -> Translated:
        choice, progress = ChosenTranslation("absent", "0.4.0"), Progress(Console(quiet=True))
        return Translations(Plan(), choice, disk, no_store, progress, tmp_path).control(dataset, files)

    return run


def test_what_is_kept_is_what_was_written(
    translated: Control, disk: Disk, written: list[str], files: list[str]
) -> None:
    first = translated(DATASET, files)
    prefix = written[0]
    before = {key: path.read_bytes() for key, path in disk.files(prefix).items()}
    disk.path(prefix).unlink()
    again = translated(DATASET, files)
    after = {key: path.read_bytes() for key, path in disk.files(prefix).items()}
    assert (again, after, written) == (first, before, [prefix])
    table = StaticTable.from_metadata(again.metadata_location, disk.pyiceberg())
    assert {task.file.file_path for task in table.scan().plan_files()} == set(files)


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

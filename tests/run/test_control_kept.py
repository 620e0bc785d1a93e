"""A control's metadata is written once for a table (of Iceberg at an address), and comes from the cache after that."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.table import StaticTable
from rich.console import Console

from lab.provision import controls
from lab.provision.chosen_translation import ChosenTranslation
from lab.provision.dataset import Dataset
from lab.provision.plan import Plan
from lab.provision.progress import Progress
from lab.provision.stages import Stage, base_files_in
from lab.provision.translated import Translated
from lab.provision.translated_by import DELTA_CONTROL
from lab.provision.translation import Translations
from lab.store.address import prefix_of
from lab.store.disk import Disk
from lab.store.running import no_store
from lab.store.workspace import BUCKET
from spark_jobs.recipes import RECIPES
from xtable import control, delta_control
from xtable.replay import RECORDINGS, SOURCES
from xtable_audit.formats.targets import read_stored
from xtable_audit.model.delta_version import LOG
from xtable_audit.model.objects import Objects

RECIPE = RECIPES["good_layout"]
DATASET = Dataset(RECIPE, prefix_of(RECIPE.name), key="a-key", mode="recorded")
SOURCE = RECORDINGS / SOURCES / RECIPE.name
OF_DELTA = replace(DATASET, stages=(Stage("written", base_files_in(SOURCE, RECIPE.format)),), tree=SOURCE)
Control = Callable[..., Translated]


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    disk = Disk(tmp_path / "tables", BUCKET)
    disk.show(DATASET.prefix, SOURCE)
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
def run(disk: Disk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Translations]:
    """The translations of a new run, on one cache, which is empty at first."""
    monkeypatch.setenv("XTABLE_AUDIT_CACHE", str(tmp_path / "cache"))
    choice, progress = ChosenTranslation("absent", "0.4.0"), Progress(Console(quiet=True))
    return lambda: Translations(Plan(), choice, disk, no_store, progress, tmp_path)


@pytest.fixture
def translated(run: Callable[[], Translations]) -> Control:
    return lambda dataset, files: run().controls.to_iceberg(dataset, files)


@pytest.fixture
def committed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many files delta-rs has committed, each time."""
    numbers: list[int] = []
    commit = delta_control.commit

    def counted(tree: Path, base_files: Collection[str], *others: Any) -> None:
        numbers.append(len(base_files))
        commit(tree, base_files, *others)

    monkeypatch.setattr(delta_control, "commit", counted)
    return numbers


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
        monkeypatch.setattr(controls, "CONTROL", "another digest")
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


def test_the_log_of_the_control_of_delta_is_kept(
    run: Callable[[], Translations], disk: Disk, committed: list[int]
) -> None:
    first, again = (run().controls.to_delta(OF_DELTA, DELTA_CONTROL) for _ in range(2))
    assert (again, committed) == (first, [4])
    assert first.metadata_location == disk.uri(f"{DELTA_CONTROL}/{RECIPE.name}/{LOG}/{0:020}.json")
    stored = read_stored(Objects(disk.filesystem), first.metadata_location)
    assert {*stored.paths} == {disk.uri(f"{first.dataset.prefix}/{path}") for path in OF_DELTA.stages[-1].base_files}


@pytest.mark.parametrize("other", ["another build", "fewer files", "other columns", "other code"])
def test_another_control_of_delta_is_written_anew(
    run: Callable[[], Translations], committed: list[int], monkeypatch: pytest.MonkeyPatch, other: str
) -> None:
    run().controls.to_delta(OF_DELTA, DELTA_CONTROL)
    if other == "other code":
        monkeypatch.setattr(controls, "CONTROL_OF_DELTA", "another digest")
    [stage] = OF_DELTA.stages
    fewer = dict([*stage.base_files.items()][:1])
    dataset = {
        "another build": replace(OF_DELTA, key="another-key"),
        "other columns": replace(OF_DELTA, recipe=replace(RECIPE, partition_by=())),
        "fewer files": replace(OF_DELTA, stages=(replace(stage, base_files=fewer),)),
    }.get(other, OF_DELTA)
    run().controls.to_delta(dataset, DELTA_CONTROL)
    assert committed == [4, 1 if other == "fewer files" else 4]

"""Translations come from the cache where a run would make the same ones: XTable's, and those of its controls."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.table import StaticTable
from rich.console import Console

from lab.provision import controls
from lab.provision.dataset import Dataset, Stage, base_files_in
from lab.provision.live_or_recorded import ChosenTranslation
from lab.provision.plan import WITHOUT_LOG, Plan
from lab.provision.progress import Progress
from lab.provision.translations import Translations
from lab.provision.translator_output import Translated
from lab.provision.translator_pool import Translators
from lab.provision.translator_registry import DELTA_CONTROL
from lab.store.address import BUCKET, Workspace, prefix_of
from lab.store.disk import METADATA, Disk
from lab.store.running import no_store
from lab.store.tables import InStore, Mounted
from spark_jobs.recipes import RECIPES
from xtable import control, delta_control
from xtable.replay import RECORDINGS, SOURCES
from xtable.writer import ICEBERG, ICEBERG_BY_KERNEL, Writer
from xtable_audit.formats.installed import read_stored
from xtable_audit.model.delta_version import LOG
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem
from xtable_audit.model.sync import Sync

RELEASE = "0.4.0-incubating"
Translate = Callable[..., str]
RECIPE = RECIPES["good_layout"]
SHOWN = Dataset(replace(RECIPE, name="t"), prefix="t", key="k")
"""A table that XTable reaches through a mount."""
DATASET = Dataset(RECIPE, prefix_of(RECIPE.name), key="a-key", mode="recorded")
SOURCE = RECORDINGS / SOURCES / RECIPE.name
OF_DELTA = replace(DATASET, stages=(Stage("written", base_files_in(SOURCE, RECIPE.format)),), tree=SOURCE)
Control = Callable[..., Translated]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The zones in which XTable has run."""
    zones: list[str] = []

    @contextmanager
    def of_table(translators: Translators, **_: bool) -> Iterator[Any]:
        zones.append(translators._zone)
        yield lambda name: None

    monkeypatch.setattr(Translators, "of_table", of_table)
    monkeypatch.setattr(Translators, "digest", lambda *_: "a build")
    return zones


@pytest.fixture
def translated(made: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Translate:
    """The log of a translation in a new run: that of the sync that made it. The cache is empty at first."""
    monkeypatch.setenv("XTABLE_AUDIT_CACHE", str(tmp_path / "cache"))

    disk = Disk(tmp_path / "tables", BUCKET)
    disk.show(SHOWN.prefix, tmp_path)

    def play(_: object, tables: Mounted, *__: object) -> Iterator[Sync]:
        written = tables.folder / BUCKET / SHOWN.prefix / METADATA / "v1.metadata.json"
        written.parent.mkdir()
        written.write_text(made[-1], encoding="utf-8")
        yield Sync("first", RELEASE, disk.uri(f"{SHOWN.prefix}/{METADATA}/{written.name}"), log=f"in {made[-1]}")

    monkeypatch.setattr("lab.provision.translations.play", play)
    monkeypatch.setattr("lab.provision.translations.keep", lambda *_: None)

    def run(plan: Plan, writer: Writer = ICEBERG) -> str:
        choice, progress = ChosenTranslation("live", RELEASE), Progress(Console(quiet=True))
        translated = Translations(plan, choice, disk, no_store, progress, tmp_path).xtable(SHOWN, writer)
        return disk.path(disk.key(translated.metadata_location)).read_text(encoding="utf-8")

    return run


def digest(jar: Path, content: bytes, monkeypatch: pytest.MonkeyPatch) -> str:
    """Of a release of this one jar with this content."""
    jar.write_bytes(content)
    os.utime(jar, (1, 1))
    monkeypatch.setattr("lab.provision.translator_pool.resolve_xtable_jars", lambda release, progress, sources: (jar,))
    translators = Translators(None, InStore(Workspace(None, "", "", bucket="b")), jar.parent)
    return translators.digest("0.5.0-SNAPSHOT", lambda *_: None)


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
def controlled(run: Callable[[], Translations]) -> Control:
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


# XTable's translation comes from the cache where a run would make the same one, and from nowhere else.


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata"])
def test_the_same_run_takes_what_is_kept(translated: Translate, made: list[str], zone: str) -> None:
    assert [translated(Plan(zone=zone)), translated(Plan(zone=zone))] == [zone, zone]
    assert made == [zone]


def test_another_reader_of_delta_is_another_translation(translated: Translate, made: list[str]) -> None:
    assert [len(made) for by in (ICEBERG, ICEBERG_BY_KERNEL, ICEBERG) if translated(Plan(), by)] == [1, 2, 2]


def test_kernel_reads_by_no_release_that_lacks_it(translated: Translate, monkeypatch: pytest.MonkeyPatch) -> None:
    """What `--xtable auto` resolves to is known only then."""
    monkeypatch.setattr("tests.lab.provision.test_translation_kept.RELEASE", "0.3.0-incubating")
    with pytest.raises(Problem, match=r"XTable 0\.3\.0-incubating does not read Delta by Delta Kernel"):
        translated(Plan(delta_source_by="kernel"))


def test_folders_are_read_by_no_release_that_does_not(translated: Translate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.lab.provision.test_translation_kept.RELEASE", "0.3.0-incubating")
    with pytest.raises(Problem, match=r"XTable 0\.3\.0-incubating does not read folders of Parquet files"):
        translated(Plan(source_format=WITHOUT_LOG))


def test_another_zone_is_another_translation(translated: Translate, made: list[str]) -> None:
    zones = ["UTC", "Asia/Kolkata", "America/St_Johns"]
    assert [translated(Plan(zone=zone)) for zone in zones] == zones
    assert made == zones
    assert [translated(Plan(zone=zone)) for zone in zones] == zones, "each takes its own from the cache"
    assert made == zones


# A translation is cached for one build of a translator, not for its version alone.


def test_two_builds_of_a_snapshot_have_two_digests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jar = tmp_path / "xtable-core_2.12-0.5.0-SNAPSHOT.jar"
    assert digest(jar, b"one", monkeypatch) != digest(jar, b"two", monkeypatch)


def test_one_build_of_a_snapshot_has_one_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jar = tmp_path / "xtable-core_2.12-0.5.0-SNAPSHOT.jar"
    assert digest(jar, b"one", monkeypatch) == digest(jar, b"one", monkeypatch)


# A control's metadata is written once for a table (of Iceberg at an address), and comes from the cache after that.


def test_what_is_kept_is_what_was_written(
    controlled: Control, disk: Disk, written: list[str], files: list[str]
) -> None:
    first = controlled(DATASET, files)
    prefix = written[0]
    before = {key: path.read_bytes() for key, path in disk.files(prefix).items()}
    disk.path(prefix).unlink()
    again = controlled(DATASET, files)
    after = {key: path.read_bytes() for key, path in disk.files(prefix).items()}
    assert (again, after, written) == (first, before, [prefix])
    table = StaticTable.from_metadata(again.metadata_location, disk.pyiceberg())
    assert {task.file.file_path for task in table.scan().plan_files()} == set(files)


@pytest.mark.parametrize("other", ["another build", "fewer files", "other columns", "other code"])
def test_another_control_is_written_anew(
    controlled: Control, written: list[str], files: list[str], monkeypatch: pytest.MonkeyPatch, other: str
) -> None:
    controlled(DATASET, files)
    if other == "other code":
        monkeypatch.setattr(controls, "CONTROL", "another digest")
    dataset = {
        "another build": replace(DATASET, key="another-key"),
        "other columns": replace(DATASET, recipe=replace(RECIPE, partition_by=())),
    }.get(other, DATASET)
    controlled(dataset, files[:1] if other == "fewer files" else files)
    assert len(written) == 2


def test_a_refusal_is_not_kept(controlled: Control, written: list[str], files: list[str]) -> None:
    for _ in range(2):
        refused = controlled(DATASET, [*files, files[0].replace(".parquet", "-gone.parquet")])
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

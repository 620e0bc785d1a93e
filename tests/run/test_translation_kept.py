"""XTable's translation comes from the cache where a run would make the same one, and from nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from lab.provision.chosen_translation import ChosenTranslation
from lab.provision.plan import WITHOUT_LOG, Plan
from lab.provision.progress import Progress
from lab.provision.translation import Translations
from lab.provision.translators import Translators
from lab.store.disk import METADATA, Disk
from lab.store.mounted import Mounted
from lab.store.running import no_store
from lab.store.workspace import BUCKET
from xtable_audit.model.problem import Problem
from xtable_audit.model.sync import Sync

RELEASE = "0.4.0-incubating"
DATASET: Any = SimpleNamespace(
    recipe=SimpleNamespace(name="t", format="HUDI", partition_spec=""), key="k", prefix="t", stages=()
)
Translate = Callable[[Plan], str]


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
    disk.show(DATASET.prefix, tmp_path)

    def play(_: object, tables: Mounted, *__: object) -> Iterator[Sync]:
        written = tables.folder / BUCKET / DATASET.prefix / METADATA / "v1.metadata.json"
        written.parent.mkdir()
        written.write_text(made[-1], encoding="utf-8")
        yield Sync("first", RELEASE, disk.uri(f"{DATASET.prefix}/{METADATA}/{written.name}"), log=f"in {made[-1]}")

    monkeypatch.setattr("lab.provision.translation.play", play)
    monkeypatch.setattr("lab.provision.translation.keep", lambda *_: None)

    def run(plan: Plan) -> str:
        choice, progress = ChosenTranslation("live", RELEASE), Progress(Console(quiet=True))
        translated = Translations(plan, choice, disk, no_store, progress, tmp_path).xtable(DATASET)
        return disk.path(disk.key(translated.metadata_location)).read_text(encoding="utf-8")

    return run


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata"])
def test_the_same_run_takes_what_is_kept(translated: Translate, made: list[str], zone: str) -> None:
    assert [translated(Plan(zone=zone)), translated(Plan(zone=zone))] == [zone, zone]
    assert made == [zone]


def test_another_reader_of_delta_is_another_translation(translated: Translate, made: list[str]) -> None:
    plans = [Plan(), Plan(delta_source_by="kernel"), Plan(delta_source_by="spark")]
    assert [len(made) for plan in plans if translated(plan)] == [1, 2, 2], "Spark reads by default"


def test_kernel_reads_by_no_release_that_lacks_it(translated: Translate, monkeypatch: pytest.MonkeyPatch) -> None:
    """What `--xtable auto` resolves to is known only then."""
    monkeypatch.setattr("tests.run.test_translation_kept.RELEASE", "0.3.0-incubating")
    with pytest.raises(Problem, match=r"XTable 0\.3\.0-incubating does not read Delta by Delta Kernel"):
        translated(Plan(delta_source_by="kernel"))


def test_folders_are_read_by_no_release_that_does_not(translated: Translate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.run.test_translation_kept.RELEASE", "0.3.0-incubating")
    with pytest.raises(Problem, match=r"XTable 0\.3\.0-incubating does not read folders of Parquet files"):
        translated(Plan(source_format=WITHOUT_LOG))


def test_another_zone_is_another_translation(translated: Translate, made: list[str]) -> None:
    zones = ["UTC", "Asia/Kolkata", "America/St_Johns"]
    assert [translated(Plan(zone=zone)) for zone in zones] == zones
    assert made == zones
    assert [translated(Plan(zone=zone)) for zone in zones] == zones, "each takes its own from the cache"
    assert made == zones

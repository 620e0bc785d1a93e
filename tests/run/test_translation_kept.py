"""XTable's translation comes from the cache where a run would make the same one, and from nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from provision.plan import Plan
from provision.progress import Progress
from provision.translation import Translation, Translations
from provision.translators import Translators
from store import moto, objects
from store.running import RunningStore
from xtable_audit.model.sync import Sync

RELEASE = "0.4.0-incubating"
DATASET: Any = SimpleNamespace(
    recipe=SimpleNamespace(name="t", format="HUDI", partition_spec=""), key="k", prefix="t", stages=()
)
Translate = Callable[[Plan], str]


@pytest.fixture(scope="module")
def running() -> Iterator[RunningStore]:
    with moto.start() as started:
        yield started


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
def translated(running: RunningStore, made: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Translate:
    """The log of a translation in a new run: that of the sync that made it. The cache is empty at first."""
    monkeypatch.setenv("XTABLE_AUDIT_CACHE", str(tmp_path / "cache"))

    def play(*_: object) -> Iterator[Sync]:
        location = running.store.uri(f"{DATASET.prefix}/metadata/v1.metadata.json")
        objects.write(running.store, f"{DATASET.prefix}/metadata/v1.metadata.json", made[-1].encode())
        yield Sync("first", RELEASE, location, log=f"in {made[-1]}")

    monkeypatch.setattr("provision.translation.play", play)
    monkeypatch.setattr("provision.translation.keep", lambda *_: None)

    def run(plan: Plan) -> str:
        choice, progress = Translation("live", RELEASE), Progress(Console(quiet=True))
        translated = Translations(plan, choice, running.store, progress, tmp_path).xtable(DATASET)
        return objects.read(running.store, running.store.key(translated.metadata_location)).decode()

    return run


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata"])
def test_the_same_run_takes_what_is_kept(translated: Translate, made: list[str], zone: str) -> None:
    assert [translated(Plan(zone=zone)), translated(Plan(zone=zone))] == [zone, zone]
    assert made == [zone]


def test_another_zone_is_another_translation(translated: Translate, made: list[str]) -> None:
    zones = ["UTC", "Asia/Kolkata", "America/St_Johns"]
    assert [translated(Plan(zone=zone)) for zone in zones] == zones
    assert made == zones
    assert [translated(Plan(zone=zone)) for zone in zones] == zones, "each takes its own from the cache"
    assert made == zones

"""Tables are built in turn before tests use them, and no more of them once the run ends."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from fixtures.by_dataset import in_turn
from lab.provision.live_or_recorded import ChosenTranslation
from lab.provision.plan import Plan
from lab.provision.progress import Progress
from lab.provision.provisioner import Ahead
from lab.provision.translations import Translations
from lab.provision.translator_pool import SIDE_BY_SIDE, Translators
from lab.stack.cache import Cache
from lab.store.address import BUCKET
from lab.store.disk import Disk
from lab.store.running import no_store
from tests.wait_until import comes_true
from xtable_audit.model.problem import Problem
from xtable_audit.model.sync import Sync


def test_all_are_built() -> None:
    built: list[str] = []
    Ahead(built.append).begin(["a", "b", "c"])
    assert comes_true(lambda: sorted(built) == ["a", "b", "c"])


def test_one_that_fails_does_not_stop_the_others() -> None:
    built: list[str] = []

    def build(id: str) -> None:
        if id == "a":
            raise Problem("is not available")
        built.append(id)

    Ahead(build).begin(["a", "b"])
    assert comes_true(lambda: built == ["b"])


def test_what_comes_later_is_built_too() -> None:
    built: list[str] = []
    ahead = Ahead(built.append)
    ahead.begin(["a", "b"])
    ahead.wait()
    ahead.begin(["c"])
    assert comes_true(lambda: "c" in built)


def test_none_is_begun_after_the_stop() -> None:
    begun: list[str] = []
    go_on = threading.Event()

    def build(id: str) -> None:
        begun.append(id)
        go_on.wait(10)

    ahead = Ahead(build)
    ahead.begin([str(number) for number in range(2 * SIDE_BY_SIDE)])
    assert comes_true(lambda: len(begun) == SIDE_BY_SIDE)
    ahead.stop()
    go_on.set()
    ahead.wait()
    assert len(begun) == SIDE_BY_SIDE


def test_what_is_in_turn_is_built_one_by_one_and_others_beside_it() -> None:
    building: set[str] = set()
    at_once: list[frozenset[str]] = []

    def build(id: str) -> None:
        building.add(id)
        time.sleep(0.02)
        at_once.append(frozenset(building))
        building.remove(id)

    ahead = Ahead(build, in_turn=str.isupper)
    ahead.begin(["A", "B", "C", "d", "e"])
    assert comes_true(lambda: len(at_once) == 5)
    assert not any(len(seen & {"A", "B", "C"}) > 1 for seen in at_once)
    assert any(len(seen) > 1 for seen in at_once)


def items_of(*ids: str) -> list[Any]:
    return [SimpleNamespace(nodeid=f"suites/test_x.py::test_y[{id}]") for id in ids]


def test_under_xdist_the_largest_datasets_come_first() -> None:
    items = items_of("small-xtable", "large-xtable", "large-control")
    worker: Any = SimpleNamespace(workerinput={})
    assert in_turn(items, worker) == [*items[1:], items[0]]


def test_under_xdist_a_wide_table_comes_before_one_with_more_tests() -> None:
    """Its predicate grid is slow, so the run would end with one worker waiting for it."""
    items = items_of("large-xtable", "large-control", "edge_thousand_columns-xtable")
    worker: Any = SimpleNamespace(workerinput={})
    assert in_turn(items, worker) == [items[2], *items[:2]]


def test_in_one_process_tests_come_in_their_own_order() -> None:
    items = items_of("small-xtable", "large-xtable", "large-control")
    alone: Any = SimpleNamespace()
    assert in_turn(items, alone) == items


def test_a_sync_that_the_end_of_the_run_has_cut_short_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The JVM dies by the stop, which must not pass for XTable's own failure in the next run."""
    monkeypatch.setenv("XTABLE_AUDIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(Translators, "digest", lambda *_: "a build")

    @contextmanager
    def of_table(translators: Translators, **_: bool) -> Iterator[None]:
        yield None

    monkeypatch.setattr(Translators, "of_table", of_table)
    recipe = SimpleNamespace(name="t", format="HUDI", partition_spec="")
    dataset: Any = SimpleNamespace(recipe=recipe, key="k", prefix="t", stages=())
    choice, disk = ChosenTranslation("live", "0.4.0-incubating"), Disk(tmp_path / "tables", BUCKET)
    translations = Translations(Plan(), choice, disk, no_store, Progress(Console(quiet=True)), tmp_path)

    def cut_short(*_: object) -> Iterator[Sync]:
        translations.stop()
        yield Sync("full", "0.4.0", "", "its JVM died in the middle of it")

    monkeypatch.setattr("lab.provision.translations.play", cut_short)
    with pytest.raises(Problem, match="The run has ended"):
        translations.xtable(dataset)
    assert list((Cache().root / "translation").glob("[!.]*")) == []

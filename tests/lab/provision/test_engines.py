"""Engines are opened once, in the background; one that fails to open fails the same way for every caller."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from lab.engines.registry import Order, RunningEngine
from lab.provision import provisioner as engines
from lab.provision.plan import Plan
from lab.provision.progress import Progress
from lab.provision.provisioner import Engines
from lab.store.running import RunningStore
from xtable_audit.model.problem import Problem

EnginesOf = Callable[[Callable[[Order], RunningEngine]], Engines]


def _no_store() -> RunningStore:
    raise AssertionError("no engine here needs a store")


@pytest.fixture
def engines_of(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> EnginesOf:
    """Engines that the given function opens."""

    def make(opener: Callable[[Order], RunningEngine]) -> Engines:
        monkeypatch.setattr(engines, "open_engine", lambda name, order: opener(order))
        monkeypatch.setenv("XTABLE_AUDIT_CACHE", str(tmp_path))
        return Engines(Plan(trino="process"), _no_store, Progress(Console(quiet=True)), tmp_path)

    return make


def test_an_engine_is_opened_once(engines_of: EnginesOf) -> None:
    opened: list[Order] = []

    def opener(order: Order) -> RunningEngine:
        opened.append(order)
        return RunningEngine("handle", "here", "1")

    engines = engines_of(opener)
    assert engines.engine("trino") is engines.engine("trino")
    assert [order.how for order in opened] == ["process"]


def test_preparing_does_not_wait(engines_of: EnginesOf) -> None:
    opening = threading.Event()

    def opener(order: Order) -> RunningEngine:
        assert opening.wait(30)
        return RunningEngine("handle", "here", "1")

    engines = engines_of(opener)
    engines.prepare(["trino"])
    opening.set()
    assert engines.engine("trino").handle == "handle"


def test_an_engine_that_does_not_open_is_the_same_problem_each_time(engines_of: EnginesOf) -> None:
    def opener(order: Order) -> RunningEngine:
        raise Problem("no engine here: start one")

    engines = engines_of(opener)
    for _ in range(2):
        with pytest.raises(Problem, match="no engine here: start one"):
            engines.engine("trino")


def test_what_was_opened_is_stopped(engines_of: EnginesOf) -> None:
    stopped: list[str] = []
    engines = engines_of(lambda order: RunningEngine("handle", "here", "1", stop=lambda: stopped.append("trino")))
    engines.engine("trino")
    engines.stop()
    assert stopped == ["trino"]


def test_stopping_does_not_wait_for_what_is_still_opening(engines_of: EnginesOf) -> None:
    forever = threading.Event()

    def opener(order: Order) -> RunningEngine:
        forever.wait(30)
        return RunningEngine("handle", "here", "1")

    engines = engines_of(opener)
    engines.prepare(["trino"])
    engines.stop()
    forever.set()
    assert engines.engine("trino").handle == "handle"  # nothing of it outlives the test

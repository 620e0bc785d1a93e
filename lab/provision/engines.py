"""The engines of a run. The process that owns the run opens each once, in the background."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from lab.engines.order import Order, RunningEngine
from lab.engines.registry import open_engine
from lab.provision.lazy import OnceEach
from lab.provision.plan import Plan
from lab.provision.progress import Progress
from lab.stack.cache import Cache
from lab.store.running import RunningStore


class Engines:
    """Opens engines while tables are built. Thread-safe."""

    def __init__(self, plan: Plan, running: Callable[[], RunningStore], progress: Progress, logs: Path) -> None:
        self._plan = plan
        self._running = running
        self._progress = progress
        self._logs = logs
        self._opened = OnceEach(self._open)

    def prepare(self, names: Iterable[str]) -> None:
        """Starts opening these engines; returns at once."""
        for name in names:
            self._opened.begin(name)

    def engine(self, name: str) -> RunningEngine:
        """The engine, once it is open. Raises Problem, the same on every call, if it cannot be opened."""
        self._opened.begin(name)  # in another thread, so that Ctrl-C ends a run that waits for it
        return self._opened(name)

    def stop(self) -> None:
        """Stops the open engines; those still opening end with this process. May be called twice."""
        for engine in self._opened.made():
            engine.stop()

    def _open(self, name: str) -> RunningEngine:
        with self._progress.step("engine", name) as step:
            order = Order(
                how=self._plan.how(name),
                running=self._running,
                logs=self._logs,
                cache=Cache(),
                report=lambda detail: self._progress.update(step, f"{name}: {detail}"),
                options={"catalog": self._plan.trino_catalog} if name == "trino" else {},
            )
            opened = open_engine(name, order)
            step.detail = opened.detail
        return opened

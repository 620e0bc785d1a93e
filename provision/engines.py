"""The engines of a run: each opened once, in the background, by the process that owns the run."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from pathlib import Path

from engines.order import Order, RunningEngine
from engines.registry import open_engine
from provision.plan import Plan
from provision.progress import Progress
from stack.cache import Cache
from store.running import RunningStore


class Engines:
    """Opens engines side by side with the building of tables. Calls may come from any thread."""

    def __init__(self, plan: Plan, running: Callable[[], RunningStore], progress: Progress, logs: Path) -> None:
        self._plan = plan
        self._running = running
        self._progress = progress
        self._logs = logs
        self._lock = threading.Lock()
        self._opening: dict[str, Future[RunningEngine]] = {}

    def prepare(self, names: Iterable[str]) -> None:
        """Begin to open these engines; returns at once."""
        for name in names:
            self._open(name)

    def engine(self, name: str) -> RunningEngine:
        """The engine, once it is there. Raises Problem (each time alike) where it cannot be had."""
        return self._open(name).result()

    def stop(self) -> None:
        """Ends what was opened; what is still being opened ends with this process. May be called twice."""
        with self._lock:
            opened = [one for one in self._opening.values() if one.done() and one.exception() is None]
        for one in opened:
            one.result().stop()

    def _open(self, name: str) -> Future[RunningEngine]:
        with self._lock:
            if name not in self._opening:
                future: Future[RunningEngine] = Future()
                self._opening[name] = future
                # a thread of our own making: a pool's would keep the interpreter from ending after Ctrl-C
                threading.Thread(target=self._run, args=(name, future), name=name, daemon=True).start()
            return self._opening[name]

    def _run(self, name: str, future: Future[RunningEngine]) -> None:
        try:
            with self._progress.step("engine", name) as step:
                order = Order(
                    how=self._plan.how(name),
                    running=self._running,
                    logs=self._logs,
                    cache=Cache(),
                    tell=lambda detail: self._progress.update(step, f"{name}: {detail}"),
                    options={"catalog": self._plan.trino_catalog} if name == "trino" else {},
                )
                opened = open_engine(name, order)
                step.detail = opened.detail
            future.set_result(opened)
        except BaseException as error:  # noqa: BLE001 - kept, and raised as often as it is asked for
            future.set_exception(error)

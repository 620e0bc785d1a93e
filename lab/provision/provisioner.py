"""The provisioner: builds or starts everything a run needs once, on first use or in the background before it."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path

from lab.engines.registry import Order, RunningEngine, elsewhere, open_engine
from lab.provision.catalogue import Catalogue
from lab.provision.hudi.kept_table import HudiTable
from lab.provision.hudi.laboratory import HudiLab
from lab.provision.live_or_recorded import ChosenTranslation
from lab.provision.made_once import Once, OnceEach
from lab.provision.plan import Plan
from lab.provision.progress import LongStep, Progress
from lab.provision.provider_protocol import Built
from lab.provision.source_tables import Datasets
from lab.provision.targets import needs_spark
from lab.provision.translations import Translations
from lab.provision.translator_pool import SIDE_BY_SIDE
from lab.stack.cache import Cache
from lab.store.disk import Disk
from lab.store.open import open_store
from lab.store.running import RunningStore
from lab.subjects.table import OWN_INDEXES, Offer
from xtable_audit.model.predicate import Predicate

SECONDS_TO_STOP = 10


class Ahead:
    """Calls `build`, which must keep its results and exceptions for later callers.

    What is `in_turn` is built one by one, because only one can be worked on at a time; others beside it.
    """

    def __init__(self, build: Callable[[str], object], in_turn: Callable[[str], bool] = lambda _: False) -> None:
        self._build = build
        self._is_in_turn = in_turn
        self._in_turn: deque[str] = deque()
        self._beside: deque[str] = deque()
        self._threads: list[threading.Thread] = []

    def begin(self, ids: Sequence[str]) -> None:
        """Builds these in this order, up to SIDE_BY_SIDE at once; returns at once."""
        for id in ids:
            (self._in_turn if self._is_in_turn(id) else self._beside).append(id)
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        if self._in_turn and not any(thread.name == "in turn" for thread in self._threads):
            self._start("in turn", self._in_turn, self._beside)
        for _ in list(self._beside)[: SIDE_BY_SIDE - len(self._threads)]:
            self._start("beside", self._beside)

    def stop(self) -> None:
        """Starts no further builds; those in progress continue."""
        self._in_turn.clear()
        self._beside.clear()

    def wait(self) -> None:
        """Waits for builds in progress, up to SECONDS_TO_STOP for each thread."""
        for thread in self._threads:
            thread.join(SECONDS_TO_STOP)

    def _start(self, name: str, *queues: deque[str]) -> None:
        self._threads.append(threading.Thread(target=self._work_off, args=queues, name=name, daemon=True))
        self._threads[-1].start()

    def _work_off(self, *queues: deque[str]) -> None:
        for queue in queues:
            with suppress(IndexError):  # none is left
                while True:
                    id = queue.popleft()
                    with suppress(Exception):  # raised again when a test requests it
                        self._build(id)


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


class Provisioner:
    """Builds tables on demand, each once. Several threads may build different tables in parallel.

    It is the `Tools` of the providers.
    """

    def __init__(
        self, plan: Plan, catalogue: Catalogue, progress: Progress, run_folder: Path, translation: ChosenTranslation
    ) -> None:
        self.plan = plan
        self.progress = progress
        self.translation = translation
        self._catalogue = catalogue
        logs = run_folder / "logs"
        self._built = OnceEach(self._build)
        self._announced: set[str] = set()
        self._lock = threading.Lock()
        self.running = Once(self._open_store)
        self._ending = ExitStack()
        self.disk = Once(self._open_disk)
        self.datasets = Once(lambda: Datasets(plan, self.disk(), self.running, progress, logs))
        self.translations = Once(lambda: Translations(plan, translation, self.disk(), self.running, progress, logs))
        self.lab = Once(lambda: HudiLab(progress, logs, Cache(), self.running, plan.shipping))
        self._engines = Engines(plan, self.running, progress, logs)
        self._ahead = Ahead(self._built, lambda id: needs_spark(catalogue[id]))

    def _open_store(self) -> RunningStore:
        with self.progress.step("store", self.plan.s3) as step:
            running = open_store(self.plan.s3, self.plan.bucket)
            step.detail = f"{running.name} at {running.store.endpoint or 'AWS'}, bucket {running.store.bucket}"
        return running

    def _open_disk(self) -> Disk:
        if self.plan.s3 != "moto":
            self.running()  # a store that somebody names is tried at once, also where nothing would reach it
        return Disk(self._ending.enter_context(Cache().work_folder("tables")), self.plan.bucket)

    def shared_disk(self) -> Disk:
        """The disk for another process."""
        return self.disk()

    def publish(self, id: str) -> None:
        """Puts a built table into the store, where a reader can reach it."""
        built = self.table(id)
        if not built.in_store:
            self.translations().publish(built.prefixes)

    def shared_store(self) -> str:
        """The running store for another process, as `RunningStore.from_json` takes it."""
        return self.running().to_json()

    def prepare(self, engines: Sequence[str], tables: Sequence[str]) -> None:
        """Starts opening these engines and building these tables, in this order; returns at once."""
        self._engines.prepare(engines)
        with self._lock:
            new = [id for id in tables if id not in self._announced]
            self._announced.update(new)
        self._ahead.begin([id for id in new if self._catalogue[id].metadata != OWN_INDEXES])

    def announced(self) -> list[Offer]:
        """The tables that the run's tests need."""
        with self._lock:
            return [self._catalogue[id] for id in self._announced]

    def made(self) -> tuple[int, int]:
        """How many tables are made, or cannot be, of how many that are announced; without those of Hudi's own."""
        return self._built.ended, sum(one.metadata != OWN_INDEXES for one in self.announced())

    def engine(self, name: str) -> RunningEngine:
        """The engine, once it is open, in a form for other processes. Raises Problem if it cannot be opened."""
        return replace(self._engines.engine(name), stop=elsewhere)

    def table(self, id: str) -> Built:
        """The table in the store, built on first use. Raises Problem, the same on every call, if it cannot be built."""
        built = self._built(id)
        assert not isinstance(built, HudiTable)
        return built

    def hudi(self, id: str) -> HudiTable:
        """A Hudi table with the answers of Hudi's own reader. Raises Problem if it cannot be built."""
        built = self._build(id)  # large, and kept by the process that needs it
        assert isinstance(built, HudiTable)
        return built

    def plan_in_java(self, metadata_location: str, predicates: Sequence[Predicate]) -> list[frozenset[str] | None]:
        """What Iceberg's Java planner keeps (see `xtable.planner.plan`)."""
        return self.translations().plan(metadata_location, predicates)

    def java_planner(self) -> str:
        """Identifies the build of that planner."""
        return self.translations().planner

    def note(self, step: LongStep) -> None:
        """Adds a step that an audit session finished to the run's steps."""
        self.progress.add(step)

    def stop(self) -> None:
        """Stops everything it started. May be called twice."""
        self._ahead.stop()
        self._engines.stop()
        self.datasets.end(Datasets.stop)
        self.translations.end(Translations.stop)
        self._ahead.wait()
        self.running.end(lambda running: running.stop())
        self._ending.close()

    def _build(self, id: str) -> Built | HudiTable:
        return self._catalogue.provider(id).build(self._catalogue[id], self)

"""The provisioner: builds or starts everything a run needs, each thing once, on first use.

It lives in the process that owns the run (under xdist the controller), so that whatever it starts ends with the run.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from lab.engines.order import RunningEngine, elsewhere
from lab.provision.catalogue import Catalogue
from lab.provision.chosen_translation import ChosenTranslation
from lab.provision.datasets import Datasets
from lab.provision.engines import Engines
from lab.provision.hudi.kept import HudiTable
from lab.provision.hudi.lab import HudiLab
from lab.provision.lazy import Once, OnceEach
from lab.provision.plan import Plan
from lab.provision.prefetch import Ahead
from lab.provision.progress import LongStep, Progress
from lab.provision.providers.provider import Built
from lab.provision.targets import needs_spark
from lab.provision.translation import Translations
from lab.stack.cache import Cache
from lab.store.disk import Disk
from lab.store.open import open_store
from lab.store.running import RunningStore
from lab.subjects.offer import OWN_INDEXES, Offer
from xtable_audit.model.predicate import Predicate


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

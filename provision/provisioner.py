"""The provisioner: builds or starts everything a run needs, each thing once, on first use.

It lives in the process that owns the run (under xdist the controller), so that whatever it starts ends with the run.
"""

from __future__ import annotations

import threading
from collections.abc import Container, Sequence
from dataclasses import replace
from pathlib import Path

from engines.order import RunningEngine, elsewhere
from provision.cases import Built, base_files
from provision.datasets import Dataset, Datasets
from provision.engines import Engines
from provision.hudi.kept import HudiTable, kept
from provision.hudi.lab import HudiLab
from provision.hudi.recorded import recorded
from provision.lazy import Once, OnceEach
from provision.plan import Plan
from provision.prefetch import Ahead
from provision.progress import Progress, Step
from provision.translation import Translated, Translation, Translations
from spark_jobs.battery.tables import BATTERY
from spark_jobs.recipes import RECIPES
from stack.cache import Cache
from store.open import open_store
from store.running import RunningStore
from subjects.hudi_subject import subject_of
from subjects.hudi_tables import HUDI_TABLES
from subjects.tables import TABLES
from xtable.replay import newest_recording
from xtable_audit.model.predicate import Predicate
from xtable_audit.model.subject_id import SubjectId


class House:
    """Builds tables on demand, each once. Several threads may build different tables in parallel."""

    def __init__(self, plan: Plan, progress: Progress, run_folder: Path, translation: Translation) -> None:
        self.plan = plan
        self.progress = progress
        self.translation = translation
        logs = run_folder / "logs"
        self._built = OnceEach(self._build)
        self._announced: set[str] = set()
        self._lock = threading.Lock()
        self._in_the_lab = threading.Lock()
        self._running = Once(self._open_store)
        self._datasets = Once(lambda: Datasets(plan, self._running().store, progress, logs))
        self._translations = Once(lambda: Translations(plan, translation, self._running().store, progress, logs))
        self._lab = HudiLab(progress, logs, Cache(), self._running, plan.shipping)
        self._engines = Engines(plan, self._running, progress, logs)
        self._ahead = Ahead(self.table)

    def _open_store(self) -> RunningStore:
        with self.progress.step("store", self.plan.s3) as step:
            running = open_store(self.plan.s3, self.plan.bucket)
            step.detail = f"{running.name} at {running.store.endpoint or 'AWS'}, bucket {running.store.bucket}"
        return running

    def shared_store(self) -> str:
        """The running store for another process, as `RunningStore.from_json` takes it."""
        return self._running().to_json()

    def prepare(self, engines: Sequence[str], tables: Sequence[str]) -> None:
        """Starts opening these engines and building these tables, in this order; returns at once."""
        self._engines.prepare(engines)
        with self._lock:
            new = [id for id in tables if id not in self._announced]
            self._announced.update(new)
        self._ahead.begin([id for id in new if id in TABLES])

    def engine(self, name: str) -> RunningEngine:
        """The engine, once it is open, in a form for other processes. Raises Problem if it cannot be opened."""
        return replace(self._engines.engine(name), stop=elsewhere)

    def table(self, id: str) -> Built:
        """The table in the store, built on first use. Raises Problem, the same on every call, if it cannot be built."""
        return self._built(id)

    def hudi(self, id: str) -> HudiTable:
        """A Hudi table with the answers of Hudi's own reader. Raises Problem if it cannot be built."""
        with self._in_the_lab:
            if self.plan.recorded or self.plan.hudi == "auto":
                table = kept(recorded(id, HUDI_TABLES[id].release, Cache()), "recorded")
                if self.plan.recorded or table.subject == subject_of(HUDI_TABLES[id], self.plan.shipping):
                    return table
            self._lab.announce(self._announced_of(HUDI_TABLES))
            return kept(self._lab.folder(id), "live")

    def plan_in_java(self, metadata_location: str, predicates: Sequence[Predicate]) -> list[frozenset[str] | None]:
        """What Iceberg's Java planner keeps (see `xtable.planner.plan`)."""
        return self._translations().plan(metadata_location, predicates)

    def note(self, step: Step) -> None:
        """Adds a step that an audit session finished to the run's steps."""
        self.progress.add(step)

    def stop(self) -> None:
        """Stops everything it started. May be called twice."""
        self._ahead.stop()
        self._engines.stop()
        self._datasets.end(Datasets.stop)
        self._translations.end(Translations.stop)
        self._ahead.wait()
        self._running.end(lambda running: running.stop())

    def _announced_of(self, known: Container[str]) -> list[str]:
        with self._lock:
            return [id for id in self._announced if id in known]

    def _is_recorded(self, subject: SubjectId) -> bool:
        """Whether to use recordings. The control and XTable share one source, since blame compares them."""
        return self.plan.recorded or (subject.translator != "native" and self.translation.mode == "recorded")

    def _build(self, id: str) -> Built:
        subject = TABLES[id]
        recipe, datasets = RECIPES.get(subject.dataset) or BATTERY[subject.dataset], self._datasets()
        if self._is_recorded(subject):
            replayed = self.translation.release if self.translation.mode == "recorded" else newest_recording()
            dataset = datasets.recorded(recipe, replayed)
        else:
            datasets.announce(TABLES[id].dataset for id in self._announced_of(TABLES))
            dataset = datasets.live(recipe)
        return Built(subject, dataset, self._translated(subject, dataset))

    def _translated(self, subject: SubjectId, dataset: Dataset) -> Translated:
        translations = self._translations()
        match subject.translator:
            case "native":
                return translations.native(dataset)
            case "control":
                files = base_files(dataset, dataset.stages[-1], self._running().store)
                return translations.control(dataset, sorted(files))
            case _:
                return translations.xtable(dataset)

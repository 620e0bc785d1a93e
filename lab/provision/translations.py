"""Metadata for the datasets: by XTable, live or recorded, by the control translators, or by Spark itself."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from lab.provision.controls import Controls
from lab.provision.dataset import Dataset
from lab.provision.history import SYNCS, TranslatorOf, play, read_syncs, write_syncs
from lab.provision.live_or_recorded import ChosenTranslation, RecordedTranslation, RecordedTranslations
from lab.provision.made_once import Once
from lab.provision.newest_metadata import newest_iceberg, show_again
from lab.provision.plan import Plan
from lab.provision.progress import LongStep, Progress
from lab.provision.source_stats import SOURCE_STATS, STATS, beside, keep
from lab.provision.sources.every_source import FORMATS
from lab.provision.targets import begun_by, demand_readers
from lab.provision.translator_output import Translated
from lab.provision.translator_pool import JAR, Begun, without_full_sync
from lab.provision.xtable_jvms import StoreCopies, XTableJvms
from lab.stack.cache import Cache, key_of
from lab.stack.jars import resolve_xtable_jars
from lab.stack.versions import release
from lab.store.disk import Disk
from lab.store.running import RunningStore
from spark_jobs.battery.table import BatteryTable
from xtable.jvm import MODELS
from xtable.same_output import digest_of_classes
from xtable.settings import UTC
from xtable.writer import ICEBERG, Writer
from xtable_audit.model.figures import many
from xtable_audit.model.problem import Problem
from xtable_audit.model.sync import Sync

HISTORY = hashlib.sha256(Path(__file__).with_name("history.py").read_bytes() + repr(MODELS).encode()).hexdigest()
"""Part of a cached translation's key: the code that plays a history."""


class Translations:
    def __init__(
        self,
        plan: Plan,
        choice: ChosenTranslation,
        disk: Disk,
        running: Callable[[], RunningStore],
        progress: Progress,
        logs: Path,
    ) -> None:
        self._plan = plan
        self._choice = choice
        self._disk = disk
        self._progress = progress
        self._cache = Cache()
        copies = StoreCopies(disk, running)
        self._jvms = XTableJvms(plan, self._by, disk, copies, logs)
        self.controls = Controls(disk, self._cache, progress)
        self.plan, self.publish = self._jvms.plan, copies.publish
        self._recorded_translations = RecordedTranslations(self._cache, choice.release, disk.bucket, plan.archives)
        self._classes = Once(self._classes_here)
        self.recorded_on: dict[str, str | None] = {}
        """The day of the recording that each dataset's translation is of, so far; None for what XTable synced."""
        self._stopped = threading.Event()

    def native(self, dataset: Dataset) -> Translated:
        """The metadata that Spark wrote together with the table."""
        newest = FORMATS[dataset.recipe.format].newest
        if newest is None:
            raise Problem(f"A {dataset.recipe.format} table has no metadata of a target of its own.")
        return Translated(dataset, newest(self._disk, dataset.prefix))

    def xtable(self, dataset: Dataset, writer: Writer = ICEBERG) -> Translated:
        """The metadata that XTable's writer leaves: Iceberg's is shown with the source, others' with a copy of its own.

        Two Delta logs of one source cannot have one address. Hudi's timeline holds absolute addresses, so each is
        written where the source is, and shown elsewhere: Delta's log names files below the table's root.
        Raises Problem if the release does not resolve, or does not have the writer.
        """
        if self._choice.mode == "absent":
            raise Problem(
                f"XTable {self._choice.release} is not available: {self._choice.reason}. "
                "Install it into the local Maven repository, or use --xtable auto."
            )
        if self._choice.mode == "recorded":
            return self._recorded(dataset, writer)
        if self._by != JAR:
            writer.demand(self._choice.release)
            demand_readers(self._plan, release(self._choice.release))
        return self._live(dataset, writer)

    def _recorded(self, dataset: Dataset, writer: Writer) -> Translated:
        versions = {"xtable": self._choice.release}
        if writer is not ICEBERG:
            recorded = self._recorded_translations.replayed(dataset, writer)
            return self._after(dataset, writer, recorded.kept, read_syncs(recorded.kept / SYNCS))
        if dataset.syncs is None:
            return Translated(dataset, newest_iceberg(self._disk, dataset.prefix), versions)
        return Translated.after(dataset, read_syncs(dataset.syncs), versions, beside(dataset.syncs))

    def _show(self, dataset: Dataset, writer: Writer, kept: Path) -> Dataset:
        """Shows a translation, and returns the dataset as it is shown with it."""
        if writer.to_iceberg:
            self._disk.show_metadata(dataset.prefix, kept / writer.folder)
            return dataset
        return show_again(self._disk, dataset, writer.id, kept / writer.folder)

    def _after(
        self, dataset: Dataset, writer: Writer, kept: Path, syncs: Iterable[Sync], *, in_store: bool = False
    ) -> Translated:
        """What users have of a kept translation, once it is shown."""
        shown = self._show(dataset, writer, kept)
        written, there = f"{dataset.root(self._disk)}/", f"{shown.root(self._disk)}/"
        syncs = [replace(one, metadata_location=one.metadata_location.replace(written, there)) for one in syncs]
        return Translated.after(shown, syncs, {"xtable": self._choice.release}, kept / STATS, in_store=in_store)

    @cached_property
    def planner(self) -> str:
        """Identifies what `plan` runs: the translator's jars, and its time zone."""
        with self._progress.step("XTable", self._by) as step:
            return f"{self._digest(self._by, step)} {self._plan.zone}"

    def stop(self) -> None:
        """Stops XTable's JVMs."""
        self._stopped.set()
        self._jvms.stop()

    def _live(self, dataset: Dataset, writer: Writer) -> Translated:
        plan, name, release = self._plan, dataset.recipe.name, self._choice.release
        through, begun = self._jvms.reaches_store(name, writer), begun_by(self._plan, writer)
        what = f"{name}: {release}" if writer is ICEBERG else f"{name}: {release}, to {writer.words}"
        with self._progress.step("XTable", what) as step:
            key = key_of(
                dataset=dataset.key,
                prefix=dataset.prefix,
                releases={name: self._digest(name, step) for name in (self._by, self._plan.upgrade_from) if name},
                history=HISTORY,
                through="store" if through else "mount",
                stats=SOURCE_STATS,
                **({"since": self._plan.upgrade_from} if self._plan.upgrade_from else {}),
                **({"zone": self._plan.zone} if self._plan.zone != UTC else {}),
                **({"writer": writer.id} if writer is not ICEBERG else {}),
                **({"begun_by": begun.id} if begun is not writer else {}),
            )
            kept = self._cache.lookup("translation", key)
            recorded = self._as_recorded(dataset, writer)
            self.recorded_on[name] = recorded.day if recorded else self.recorded_on.get(name)
            if recorded is not None:
                kept = recorded.kept
                step.detail = f"{name}: translation by {release}, recorded on {recorded.day}"
            elif kept is None:
                kept = self._cache.publish("translation", key, lambda folder: self._sync(dataset, writer, folder, step))
            else:
                step.detail = f"{name}: translation by {release}, cached"
            syncs = (sync for sync in read_syncs(kept / SYNCS) if not (plan.incremental_only and sync.kind == "full"))
            in_store = through and writer.to_iceberg
            translated = self._after(dataset, writer, kept, syncs, in_store=in_store)
            if in_store:
                self.publish([dataset.prefix])
        return translated

    def _as_recorded(self, dataset: Dataset, writer: Writer) -> RecordedTranslation | None:
        """The recorded translation that a sync of today would repeat, if the plan takes those."""
        plan = self._plan
        other_way = plan.upgrade_from or plan.zone != UTC
        if plan.translations != "recorded" or plan.xtable_jar or other_way:
            return None
        return self._recorded_translations.find(dataset, self._classes(), writer)

    def _classes_here(self) -> str:
        return digest_of_classes(resolve_xtable_jars(release(self._choice.release)))

    def _go_on(self) -> None:
        """Raises Problem once the run has ended, so that no JVM starts and no incomplete translation is cached."""
        if self._stopped.is_set():
            raise Problem("The run has ended.")

    @property
    def _by(self) -> str:
        """The name of the translator under audit in `Translators`."""
        return JAR if self._plan.xtable_jar is not None else self._choice.release

    def _digest(self, name: str, step: LongStep) -> str:
        return self._jvms.digest(name, self._progress.downloads(step, name))

    def _sync(self, dataset: Dataset, writer: Writer, folder: Path, step: LongStep) -> None:
        """Plays the table's whole history and writes the metadata, syncs and source statistics to `folder`."""
        self._go_on()
        recipe = dataset.recipe
        syncs = []
        alone = isinstance(recipe, BatteryTable) and recipe.alone
        with (
            self._jvms.reached(dataset, writer) as (pool, tables),
            pool.borrow() as translators,
            translators.of_table(alone=alone) as translator_of,
        ):
            timeline = play(dataset, tables, self._by, *self._begun(translator_of, writer), writer)
            for sync in without_full_sync(timeline) if self._by == JAR else timeline:
                syncs.append(sync)
                self._progress.update(step, f"{recipe.name}: {sync.kind} sync done")
                self._go_on()
            keep(folder / STATS, dataset, tables, translator_of(self._by))
            folder.joinpath(writer.folder).mkdir()
            tables.download(f"{dataset.prefix}/{writer.folder}", folder / writer.folder)
        write_syncs(folder / SYNCS, syncs)
        failed = sum(sync.failure is not None for sync in syncs)
        result = f"{len(syncs) - failed} of {many(len(syncs), 'sync')}" if failed else "synced"
        step.detail = f"{recipe.name}: {result} by {self._choice.release}, checked in its metadata"

    def _begun(self, translator_of: TranslatorOf, writer: Writer) -> tuple[TranslatorOf, str | None]:
        """The translators by name, and the name of the one that makes the first sync of an upgrade in place."""
        since, first = self._plan.upgrade_from, begun_by(self._plan, writer)
        if since is None or first is writer:
            return translator_of, since
        named = f"{since} by {first.id}"
        return (lambda name: Begun(translator_of(since), first) if name == named else translator_of(name)), named

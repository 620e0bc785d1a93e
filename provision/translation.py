"""Iceberg metadata for the datasets: by XTable, live or recorded, by the control translator, or by Spark itself."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from provision.datasets import Dataset
from provision.history import SYNCS, Played, play, read_syncs, write_syncs
from provision.plan import Plan
from provision.progress import Progress, Step
from provision.source_stats import SOURCE_STATS, STATS, beside, keep
from provision.translator_pool import Pool
from provision.translators import JAR, Translators, but_in_full
from spark_jobs.battery.table import BatteryTable
from stack.cache import Cache, key_of
from stack.jars import is_resolvable
from stack.problem import Problem
from stack.versions import release, releases
from store.objects import delete, download, upload
from store.workspace import Workspace
from xtable import control, planner
from xtable.archive import unpacked
from xtable.bundled import check_bundle
from xtable.preload import MODELS
from xtable.replay import BATTERY_RECORDINGS, Recording, newest_recording
from xtable.target import read_target
from xtable_audit.model.malformed import first_line
from xtable_audit.model.predicate import Predicate
from xtable_audit.model.sync import Sync

HISTORY = hashlib.sha256(Path(__file__).with_name("history.py").read_bytes() + repr(MODELS).encode()).hexdigest()
"""Part of a cached translation's key: the code that plays a history."""


@dataclass(frozen=True)
class Translation:
    """Where XTable's metadata comes from in this run, decided before the first test."""

    mode: Literal["live", "recorded", "absent"]
    release: str
    """XTable's version. For a user's jar, the version in it, else its name."""
    reason: str = ""
    """Why it is not live, in a clause."""
    datasets: tuple[str, ...] | None = None
    """The datasets in the recording of an upgrade in place; None if all are available."""


def decide(plan: Plan) -> Translation:
    """The translation that the options select. Raises Problem for an unknown release or an unusable jar."""
    if plan.xtable_jar is not None:
        return Translation("live", check_bundle(plan.xtable_jar))
    if plan.recorded or plan.xtable == "recorded":
        return _recorded(plan, "recordings alone were asked for")
    if plan.xtable == "auto":
        for known in releases():
            if is_resolvable(known):
                return Translation("live", known.version)
        return _recorded(plan, "no release resolves here, neither from the local Maven repository nor online")
    asked = release(plan.xtable)
    if is_resolvable(asked):
        return Translation("live", asked.version)
    return Translation("absent", asked.version, "it resolves neither from the local Maven repository nor online")


def _recorded(plan: Plan, reason: str) -> Translation:
    """The recorded release of `--xtable`, else the newest. Raises Problem for a release that is not recorded."""
    asked = newest_recording() if plan.xtable in ("auto", "recorded") else plan.xtable
    found = Recording.open(asked)
    assert found.release is not None
    if plan.upgrade_from is None:
        return Translation("recorded", found.release, reason)
    in_place = Recording.open(asked, unpacked(BATTERY_RECORDINGS, Cache()), plan.upgrade_from)
    return Translation("recorded", found.release, reason, in_place.datasets)


@dataclass(frozen=True)
class Translated:
    """A dataset's metadata: the location of its metadata.json, what wrote it, XTable's log of the sync.

    `failure` is the translator's error if there is no metadata. `syncs` are all syncs of the table's history.
    """

    metadata_location: str
    versions: dict[str, str]
    log: str = ""
    failure: str | None = None
    syncs: tuple[Sync, ...] = ()
    stats: Path | None = None
    """The file with the source's own statistics."""

    @property
    def newest(self) -> str:
        """The metadata.json of the last sync that left one."""
        left = (one.metadata_location for one in reversed(self.syncs) if one.metadata_location)
        return next(left, self.metadata_location)

    @classmethod
    def after(cls, syncs: Sequence[Sync], versions: dict[str, str], stats: Path | None = None) -> Translated:
        """What users have: the metadata of the last first or incremental sync."""
        last = [one for one in syncs if one.kind in ("first", "incremental")][-1]
        failure = None if last.metadata_location else last.failure
        kept = stats if stats and stats.is_file() else None
        return cls(last.metadata_location, versions, last.log, failure, tuple(syncs), kept)


class Translations:
    def __init__(self, plan: Plan, choice: Translation, store: Workspace, progress: Progress, logs: Path) -> None:
        self._plan = plan
        self._choice = choice
        self._store = store
        self._progress = progress
        self._cache = Cache()
        self._logs = logs
        self._pool = Pool(self._translators)
        self._resolving = threading.Lock()
        self._stopped = threading.Event()

    def native(self, dataset: Dataset) -> Translated:
        """The metadata that Spark wrote together with the table."""
        return Translated(self._newest(dataset), {})

    def control(self, dataset: Dataset, files: Sequence[str]) -> Translated:
        """The metadata that PyIceberg's `add_files` writes. Rewritten in every run: a cache check would cost more."""
        recipe = dataset.recipe
        prefix = f"control/{recipe.name}-{dataset.key}-{dataset.mode}"
        versions = {"pyiceberg": version("pyiceberg")}
        with self._progress.step("control", f"{recipe.name}: PyIceberg add_files") as step:
            delete(self._store, prefix)
            try:
                location = control.translate(self._store, recipe.name, files, recipe.partition_by, prefix)
            except Exception as refused:  # noqa: BLE001 - any exception means that it cannot take the source
                step.detail = f"{recipe.name}: PyIceberg add_files refuses it"
                return Translated("", versions, failure=f"add_files refuses it: {first_line(refused)}")
        return Translated(location, versions)

    def xtable(self, dataset: Dataset) -> Translated:
        """XTable's metadata in the dataset's own folder. Raises Problem if the release does not resolve."""
        if self._choice.mode == "absent":
            raise Problem(
                f"XTable {self._choice.release} cannot be had: {self._choice.reason}. "
                "Install it into the local Maven repository, or use --xtable auto."
            )
        if self._choice.mode == "recorded":
            return self._recorded(dataset)
        return self._live(dataset)

    def _recorded(self, dataset: Dataset) -> Translated:
        versions = {"xtable": self._choice.release}
        if dataset.syncs is None:
            return Translated(self._newest(dataset), versions)
        return Translated.after(read_syncs(dataset.syncs), versions, beside(dataset.syncs))

    def _newest(self, dataset: Dataset) -> str:
        location = self._store.uri(dataset.prefix)
        target = read_target(location, self._store)
        if target is None:
            raise Problem(f"There is no Iceberg metadata under {location}/metadata.")
        return target.metadata_location

    def plan(self, metadata_location: str, predicates: Sequence[Predicate]) -> list[frozenset[str] | None]:
        """The files Iceberg's Java planner keeps, in XTable's JVM. Raises Refused, or Problem if there is no JVM."""
        with self._pool.one() as translators:
            return planner.plan(translators.named(self._by).jvm, self._store, metadata_location, predicates)

    def stop(self) -> None:
        """Stops XTable's JVMs."""
        self._stopped.set()
        self._pool.stop()

    def _translators(self, others: int) -> Translators:
        """Further translators for the pool, with their own log folder."""
        logs = self._logs / f"beside-{others}" if others else self._logs
        return Translators(self._plan.xtable_jar, self._store, logs, fresh=self._plan.fresh_jvm)

    def _live(self, dataset: Dataset) -> Translated:
        name, release = dataset.recipe.name, self._choice.release
        with self._progress.step("XTable", f"{name}: {release}") as step:
            key = key_of(
                dataset=dataset.key,
                prefix=dataset.prefix,
                releases={one: self._digest(one, step) for one in (self._by, self._plan.upgrade_from) if one},
                history=HISTORY,
                stats=SOURCE_STATS,
                **({"since": self._plan.upgrade_from} if self._plan.upgrade_from else {}),
            )
            kept = self._cache.lookup("translation", key)
            if kept is None:
                kept = self._cache.publish("translation", key, lambda folder: self._sync(dataset, folder, step))
            else:
                step.detail = f"{name}: translation by {release}, cached"
            upload(self._store, f"{dataset.prefix}/metadata", kept / "metadata")
        told = [one for one in read_syncs(kept / SYNCS) if one.kind != "full" or not self._plan.incremental_only]
        return Translated.after(told, {"xtable": release}, kept / STATS)

    def _go_on(self) -> None:
        """Raises Problem once the run has ended, so that no JVM starts and no incomplete translation is cached."""
        if self._stopped.is_set():
            raise Problem("The run has ended.")

    @property
    def _by(self) -> str:
        """The name of the translator under audit in `Translators`."""
        return JAR if self._plan.xtable_jar is not None else self._choice.release

    def _digest(self, name: str, step: Step) -> str:
        """Identifies the build of a translator in the cache key."""
        with self._resolving:
            return self._pool.first.digest(name, self._progress.downloads(step, name))

    def _sync(self, dataset: Dataset, folder: Path, step: Step) -> None:
        """Plays the table's whole history and writes the metadata, syncs and source statistics to `folder`."""
        self._go_on()
        recipe = dataset.recipe
        delete(self._store, f"{dataset.prefix}/metadata")
        table = Played(recipe.name, recipe.format, recipe.partition_spec, dataset.prefix, dataset.stages)
        told = []
        alone = isinstance(recipe, BatteryTable) and recipe.alone
        with self._pool.one() as translators, translators.of_table(alone=alone) as translator_of:
            syncs = play(table, self._store, self._by, translator_of, self._plan.upgrade_from)
            for one in but_in_full(syncs) if self._by == JAR else syncs:
                told.append(one)
                self._progress.update(step, f"{recipe.name}: {one.kind} sync done")
                self._go_on()
            keep(folder / STATS, table, self._store, translator_of(self._by))
        folder.joinpath("metadata").mkdir()
        download(self._store, f"{dataset.prefix}/metadata", folder / "metadata")
        write_syncs(folder / SYNCS, told)
        failed = sum(one.failure is not None for one in told)
        came = f"{len(told) - failed} of {len(told)} syncs" if failed else "synced"
        step.detail = f"{recipe.name}: {came} by {self._choice.release}, checked in its metadata"

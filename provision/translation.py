"""Metadata for the datasets: by XTable, live or recorded, by the control translator, or by Spark itself."""

from __future__ import annotations

import hashlib
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from provision.datasets import Dataset
from provision.history import SYNCS, Played, TranslatorOf, play, read_syncs, write_syncs
from provision.lazy import Once, OnceEach
from provision.plan import Plan
from provision.progress import LongStep, Progress
from provision.recorded_translations import RecordedTranslation, RecordedTranslations
from provision.shared_out import shared_out
from provision.source_stats import SOURCE_STATS, STATS, beside, keep
from provision.targets import begun_by
from provision.translator_pool import SIDE_BY_SIDE, Pool
from provision.translators import JAR, Translators, without_full_sync
from spark_jobs.battery.table import BatteryTable
from stack.cache import Cache, key_of
from stack.jars import Unresolvable, check_resolvable, is_resolvable, resolve_xtable_jars
from stack.versions import release, releases
from store.disk import MOUNT, Disk
from store.objects import add, delete
from store.running import RunningStore
from store.tables import InStore, Tables
from subjects.offer import Offer
from xtable import control, delta_control, planner
from xtable.archive import unpacked
from xtable.begun import Begun
from xtable.bundled import check_bundle
from xtable.class_files import digest_of_classes
from xtable.preload import MODELS
from xtable.replay import BATTERY_RECORDINGS, Recording, newest_recording
from xtable.target import read_target
from xtable.writer import ICEBERG, STANDALONE, WRITERS, Writer
from xtable.zone import UTC
from xtable_audit.formats.delta.find import delta_below
from xtable_audit.model.delta_version import LOG
from xtable_audit.model.figures import many
from xtable_audit.model.malformed import first_line
from xtable_audit.model.objects import Objects
from xtable_audit.model.predicate import Predicate
from xtable_audit.model.problem import Problem
from xtable_audit.model.sync import Sync

HISTORY = hashlib.sha256(Path(__file__).with_name("history.py").read_bytes() + repr(MODELS).encode()).hexdigest()
"""Part of a cached translation's key: the code that plays a history."""
CONTROL = hashlib.sha256(Path(control.__file__).read_bytes()).hexdigest()
"""The same for the control."""
CONTROL_OF_DELTA = hashlib.sha256(Path(delta_control.__file__).read_bytes()).hexdigest()
"""The same for that of Delta."""
NONE_RESOLVES = "no release resolves here, neither from the local Maven repository nor online"
PLANNED_AT_ONCE = 4_000
"""Predicates that one JVM plans before it is free for another table; a table of a thousand columns has 27,000."""
TREE, NEWEST = "tree", "newest"
"""In the cached folder of a control: what it wrote, and the file that names its metadata.json."""


@dataclass(frozen=True)
class ChosenTranslation:
    """Where XTable's metadata comes from in this run, decided before the first test."""

    mode: Literal["live", "recorded", "absent"]
    release: str
    """XTable's version. For a user's jar, the version in it, else its name."""
    reason: str = ""
    """Why it is not live, as a clause."""
    datasets: tuple[str, ...] | None = None
    """The datasets in the recording of an upgrade in place; None if all are available."""
    recorded_on: str | None = None
    """The day on which the recording was made, as in ISO 8601."""


def decide(plan: Plan) -> ChosenTranslation:
    """The translation that the options select.

    Raises Problem for what is no version or an unusable jar, Unresolvable for a release that no repository has. A known
    release exists: if it does not resolve here, what needs no XTable runs all the same.
    """
    choice = _chosen(plan)
    if choice.mode == "live" and plan.upgrade_from and not (since := release(plan.upgrade_from)).known:
        check_resolvable(since)
    return choice


def _chosen(plan: Plan) -> ChosenTranslation:
    if plan.xtable_jar is not None:
        return ChosenTranslation("live", check_bundle(plan.xtable_jar))
    if plan.recorded or plan.xtable == "recorded":
        return _recorded(plan, "the options select recordings only")
    if plan.xtable == "auto":
        for candidate in releases():
            if is_resolvable(candidate):
                return ChosenTranslation("live", candidate.version)
        if plan.zone != UTC:
            raise Unresolvable(f"--zone {plan.zone}: {NONE_RESOLVES}, and recordings were made in {UTC}.")
        return _recorded(plan, NONE_RESOLVES)
    named = release(plan.xtable)
    try:
        check_resolvable(named)
    except Unresolvable:
        if not named.known:
            raise
        return ChosenTranslation(
            "absent", named.version, "it resolves neither from the local Maven repository nor online"
        )
    return ChosenTranslation("live", named.version)


def _recorded(plan: Plan, reason: str) -> ChosenTranslation:
    """The recorded release of `--xtable`, else the newest. Raises Problem for a release that is not recorded."""
    version = newest_recording() if plan.xtable in ("auto", "recorded") else plan.xtable
    if plan.upgrade_from is not None and plan.target != "iceberg":
        raise Unresolvable("No upgrade in place of a Delta log is recorded: run it live, by a release that resolves.")
    recording = Recording.open(version)
    assert recording.release is not None
    if plan.upgrade_from is None:
        return ChosenTranslation("recorded", recording.release, reason, recorded_on=recording.day)
    in_place = Recording.open(version, unpacked(BATTERY_RECORDINGS, Cache()), plan.upgrade_from)
    return ChosenTranslation("recorded", recording.release, reason, in_place.datasets, in_place.day)


@dataclass(frozen=True)
class Translated:
    """A dataset's metadata: its location, what wrote it, XTable's log of the sync.

    `failure` is the translator's error if there is no metadata. `syncs` are all syncs of the table's history.
    """

    metadata_location: str
    versions: dict[str, str]
    log: str = ""
    failure: str | None = None
    syncs: tuple[Sync, ...] = ()
    stats: Path | None = None
    """The file with the source's own statistics."""
    in_store: bool = False
    """Whether XTable reached the table in the store, not mounted on this disk."""
    silent: bool = False
    """Whether the sync that failed did not report it."""
    exceptions: frozenset[str] = frozenset()
    """The exceptions that the failure names."""
    prefix: str = ""
    """The key below which the whole table is shown, if that is not where its source is shown."""

    @property
    def newest(self) -> str:
        """The metadata location of the last sync that left one."""
        locations = (sync.metadata_location for sync in reversed(self.syncs) if sync.metadata_location)
        return next(locations, self.metadata_location)

    @classmethod
    def after(
        cls, syncs: Sequence[Sync], versions: dict[str, str], stats: Path | None = None, *, in_store: bool = False
    ) -> Translated:
        """What users have: the metadata of the last sync that is neither idle nor full."""
        last = [sync for sync in syncs if sync.kind in ("first", "incremental")][-1]
        failure = None if last.metadata_location else last.failure
        kept = stats if stats and stats.is_file() else None
        silent = failure is not None and last.silent
        named = last.exceptions if failure is not None else frozenset[str]()
        return cls(last.metadata_location, versions, last.log, failure, tuple(syncs), kept, in_store, silent, named)


def needs_spark(offer: Offer) -> bool:
    """Whether XTable starts a Spark for the table: it reads Delta by Delta Standalone, and may write it so."""
    of_delta = isinstance(offer.entry, BatteryTable) and offer.entry.format == "DELTA"
    return offer.id.translator in WRITERS and (of_delta or offer.id.translator == STANDALONE.id)


class ControlRefused(Exception):
    """PyIceberg's message about a source that it cannot take."""


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
        self._store = Once(lambda: running().store)
        self._progress = progress
        self._cache = Cache()
        self._logs = logs
        # As many as translate at once beside Delta's, so that a planner need not wait for a table that is translated.
        self._mounted = Pool(lambda existing: self._translators(disk.mounted(), existing), SIDE_BY_SIDE)
        # Each JVM that meets a Delta table starts a Spark for it, which takes longer than ten of them.
        self._mounted_delta = Pool(lambda _: self._translators(disk.mounted(), 0, "delta"), 1)
        self._to_delta = OnceEach(self._pool_to_delta)
        self._through_store = Once(self._of_store)
        self._recorded_translations = RecordedTranslations(self._cache, choice.release, disk.bucket)
        self._classes = Once(self._classes_here)
        self.recorded_on: dict[str, str | None] = {}
        """The day of the recording that each dataset's translation is of, so far; None for what XTable synced."""
        self._resolving = threading.Lock()
        self._in_store: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._stopped = threading.Event()

    def native(self, dataset: Dataset) -> Translated:
        """The metadata that Spark wrote together with the table."""
        newest = self._newest_version(dataset.prefix) if dataset.recipe.format == "DELTA" else self._newest(dataset)
        return Translated(newest, {})

    def control(self, dataset: Dataset, files: Sequence[str]) -> Translated:
        """The metadata that PyIceberg's `add_files` writes: once for a table at an address, then from the cache."""
        recipe = dataset.recipe
        prefix = f"control/{recipe.name}-{dataset.key}-{dataset.mode}"
        versions = {"pyiceberg": version("pyiceberg")}

        def write(folder: Path) -> None:
            (folder / TREE).mkdir()
            self._disk.show_whole(prefix, folder / TREE)
            try:
                location = control.translate(self._disk, recipe.name, files, recipe.partition_by, prefix)
            except Exception as error:  # any exception means that it cannot take the source
                raise ControlRefused(first_line(error)) from error
            (folder / NEWEST).write_text(location, encoding="utf-8")

        key = key_of(
            files=sorted(files),
            partition_by=recipe.partition_by,
            address=self._disk.uri(prefix),
            versions=versions | {"pyarrow": version("pyarrow")},
            control=CONTROL,
        )
        with self._progress.step("control", f"{recipe.name}: PyIceberg add_files") as step:
            try:
                kept = self._cache.publish("control", key, write)
            except ControlRefused as refused:
                step.detail = f"{recipe.name}: PyIceberg add_files refuses it"
                return Translated("", versions, failure=f"add_files refuses it: {refused}")
            self._disk.show_whole(prefix, kept / TREE)
        return Translated((kept / NEWEST).read_text(encoding="utf-8"), versions)

    def delta_control(self, dataset: Dataset, id: str) -> Translated:
        """The log that delta-rs commits over the newest base files: once, then from the cache."""
        recipe, tree, files = dataset.recipe, dataset.tree, dataset.stages[-1].base_files
        assert tree is not None
        versions = {"deltalake": version("deltalake")}
        key = key_of(
            dataset=dataset.key,
            files=sorted(files.items()),
            partition_by=recipe.partition_by,
            versions=versions | {"pyarrow": version("pyarrow")},
            control=CONTROL_OF_DELTA,
        )
        with self._progress.step("control", f"{recipe.name}: delta-rs"):
            kept = self._cache.publish("control", key, partial(delta_control.commit, tree, files, recipe.partition_by))
        prefix = self._show_again(dataset, id, kept / LOG)
        return Translated(self._newest_version(prefix), versions, prefix=prefix)

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
        return self._live(dataset, writer)

    def _recorded(self, dataset: Dataset, writer: Writer) -> Translated:
        versions = {"xtable": self._choice.release}
        if writer is not ICEBERG:
            recorded = self._recorded_translations.replayed(dataset, writer)
            prefix = self._show(dataset, writer, recorded.kept)
            return self._after(dataset, prefix, read_syncs(recorded.kept / SYNCS), recorded.kept / STATS)
        if dataset.syncs is None:
            return Translated(self._newest(dataset), versions)
        return Translated.after(read_syncs(dataset.syncs), versions, beside(dataset.syncs))

    def _show(self, dataset: Dataset, writer: Writer, kept: Path) -> str:
        """Shows a translation, and returns the key of its table."""
        if writer is ICEBERG:
            self._disk.show_metadata(dataset.prefix, kept / writer.folder)
            return dataset.prefix
        return self._show_again(dataset, writer.id, kept / writer.folder)

    def _show_again(self, dataset: Dataset, id: str, metadata: Path) -> str:
        """Shows the source a second time, with this metadata, and returns the key of that table."""
        assert dataset.tree is not None
        prefix = f"{id}/{dataset.recipe.name}"
        self._disk.show(prefix, dataset.tree)
        self._disk.show_metadata(prefix, metadata, metadata.name)
        return prefix

    def _after(
        self, dataset: Dataset, prefix: str, syncs: Sequence[Sync], stats: Path, *, in_store: bool = False
    ) -> Translated:
        """What users have of a table that is shown under `prefix`."""
        written, shown = f"{self._disk.uri(dataset.prefix)}/", f"{self._disk.uri(prefix)}/"
        syncs = [replace(one, metadata_location=one.metadata_location.replace(written, shown)) for one in syncs]
        translated = Translated.after(syncs, {"xtable": self._choice.release}, stats, in_store=in_store)
        return replace(translated, prefix=prefix)

    def _newest(self, dataset: Dataset) -> str:
        location = self._disk.uri(dataset.prefix)
        target = read_target(location, self._disk)
        if target is None:
            raise Problem(f"There is no Iceberg metadata under {location}/metadata.")
        return target.metadata_location

    def _newest_version(self, prefix: str) -> str:
        """The location of the newest commit of the Delta table under that key."""
        return delta_below(Objects(self._disk.filesystem), self._disk.uri(prefix))[0]

    def plan(self, metadata_location: str, predicates: Sequence[Predicate]) -> list[frozenset[str] | None]:
        """The files Iceberg's Java planner keeps, in XTable's JVMs. Raises Refused, or Problem if there is no JVM.

        Many predicates are shared out: the slowest table alone would hold one JVM for minutes, and the others idle.
        """
        plan_part = partial(self._plan_part, metadata_location)
        return shared_out(plan_part, predicates, part=PLANNED_AT_ONCE, at_once=SIDE_BY_SIDE)

    def _plan_part(self, metadata_location: str, predicates: Sequence[Predicate]) -> list[frozenset[str] | None]:
        with self._mounted.borrow() as translators:
            jvm = translators.named(self._by).jvm
            return planner.plan(jvm, self._disk.mounted(), metadata_location, predicates)

    def publish(self, prefixes: Sequence[str]) -> None:
        """Puts what is shown under these keys into the store, where it is not there yet."""
        for prefix in prefixes:
            with self._in_store[prefix]:
                add(self._store(), prefix, self._disk.files(prefix))

    @cached_property
    def planner(self) -> str:
        """Identifies what `plan` runs: the translator's jars, and its time zone."""
        with self._progress.step("XTable", self._by) as step:
            return f"{self._digest(self._by, step)} {self._plan.zone}"

    def stop(self) -> None:
        """Stops XTable's JVMs."""
        self._stopped.set()
        self._mounted.stop()
        self._mounted_delta.stop()
        for pool in self._to_delta.made():
            pool.stop()
        self._through_store.end(Pool.stop)

    def _translators(self, tables: Tables, existing: int, logs: str = "") -> Translators:
        """Further translators for a pool, with their own log folder."""
        own = self._logs / logs / (f"beside-{existing}" if existing else "")
        return Translators(self._plan.xtable_jar, tables, own, fresh=self._plan.fresh_jvm, zone=self._plan.zone)

    def _of_store(self) -> Pool:
        """A mount takes every address of its scheme, so what reaches the store is a JVM of its own."""
        tables = InStore(self._store())
        return Pool(
            lambda existing: self._translators(tables, existing, "store"),
            SIDE_BY_SIDE if self._plan.all_through_store else 1,
        )

    def _pool_to_delta(self, writer: str) -> Pool:
        """Translators with a mount of their own: elsewhere the same address may be read, or translated to Iceberg.

        A JVM has one mount. One that writes by Delta Standalone starts a Spark, so there is one alone.
        """
        standalone = STANDALONE in (WRITERS[writer], begun_by(self._plan, WRITERS[writer]))
        tables, size = self._disk.mounted(writer), 1 if standalone else SIDE_BY_SIDE
        return Pool(lambda existing: self._translators(tables, existing, writer), size)

    def _through(self, name: str, writer: Writer) -> bool:
        """Whether XTable reaches the table in the store, where only one target may have the address."""
        return self._plan.goes_through_store(name) and (writer is ICEBERG or self._plan.target != "all")

    def _live(self, dataset: Dataset, writer: Writer) -> Translated:
        name, release = dataset.recipe.name, self._choice.release
        through, begun = self._through(name, writer), begun_by(self._plan, writer)
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
            prefix = self._show(dataset, writer, kept)
            if in_store := through and writer is ICEBERG:
                self.publish([dataset.prefix])
        syncs = [sync for sync in read_syncs(kept / SYNCS) if sync.kind != "full" or not self._plan.incremental_only]
        return self._after(dataset, prefix, syncs, kept / STATS, in_store=in_store)

    def _as_recorded(self, dataset: Dataset, writer: Writer) -> RecordedTranslation | None:
        """The recorded translation that a sync of today would repeat, if the plan takes those."""
        plan = self._plan
        if plan.translations != "recorded" or plan.xtable_jar or plan.upgrade_from or plan.zone != UTC:
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
        """Identifies the build of a translator in the cache key."""
        with self._resolving:
            return self._mounted.first.digest(name, self._progress.downloads(step, name))

    def _sync(self, dataset: Dataset, writer: Writer, folder: Path, step: LongStep) -> None:
        """Plays the table's whole history and writes the metadata, syncs and source statistics to `folder`."""
        self._go_on()
        recipe = dataset.recipe
        table = Played.of(recipe, dataset.prefix, dataset.stages, writer)
        syncs = []
        alone = isinstance(recipe, BatteryTable) and recipe.alone
        with (
            self._reached(dataset, writer) as (pool, tables),
            pool.borrow() as translators,
            translators.of_table(alone=alone) as translator_of,
        ):
            timeline = play(table, tables, self._by, *self._begun(translator_of, writer))
            for sync in without_full_sync(timeline) if self._by == JAR else timeline:
                syncs.append(sync)
                self._progress.update(step, f"{recipe.name}: {sync.kind} sync done")
                self._go_on()
            keep(folder / STATS, table, tables, translator_of(self._by))
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

    @contextmanager
    def _reached(self, dataset: Dataset, writer: Writer) -> Iterator[tuple[Pool, Tables]]:
        """Who translates the table, and where it lies meanwhile: mounted on this disk, or in the store, empty."""
        if not self._through(dataset.recipe.name, writer):
            mount = MOUNT if writer is ICEBERG else writer.id
            with self._disk.in_translation(dataset.prefix, mount) as mounted:
                yield self._pool(dataset, writer), mounted
            return
        with self._in_store[dataset.prefix]:
            delete(self._store(), dataset.prefix)
            yield self._through_store(), InStore(self._store())

    def _pool(self, dataset: Dataset, writer: Writer) -> Pool:
        if writer is not ICEBERG:
            return self._to_delta(writer.id)
        return self._mounted_delta if dataset.recipe.format == "DELTA" else self._mounted

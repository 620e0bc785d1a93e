"""Source tables: restored from a recording, or written by Spark and kept in the cache."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lab.provision.battery_sources import FACTS as BATTERY_FACTS
from lab.provision.battery_sources import KIND, Battery
from lab.provision.data_files import data_files
from lab.provision.dataset import Dataset, Stage, base_files_in, columns_in, recorded_stages
from lab.provision.history import SYNCS
from lab.provision.plan import Plan
from lab.provision.progress import LongStep, Progress
from lab.provision.recorded_sources import FACTS, TREE, RecordedRecipe
from lab.provision.sources.every_source import FORMATS, writer_here
from lab.stack.cache import Cache, key_of
from lab.stack.jars import resolve_spark_jars
from lab.stack.java import find_java
from lab.stack.versions import stack
from lab.store.address import prefix_of
from lab.store.disk import Disk
from lab.store.objects import delete, download
from lab.store.running import RunningStore
from spark_jobs.addresses import demand_own_addresses
from spark_jobs.battery.table import BatteryTable
from spark_jobs.battery.tables import BATTERY
from spark_jobs.launch import run
from spark_jobs.recipes import Recipe
from xtable.replay import BATTERY_RECORDINGS, RECORDINGS, Recording, unpacked
from xtable_audit.model.figures import many
from xtable_audit.model.problem import Problem

SPARK_SECONDS = 3600
"""Timeout for one table, which takes about a minute at scale 1."""


class Datasets:
    def __init__(
        self, plan: Plan, disk: Disk, running: Callable[[], RunningStore], progress: Progress, logs: Path
    ) -> None:
        self._plan = plan
        self._disk = disk
        self._running = running
        self._progress = progress
        self._logs = logs
        self._cache = Cache()
        archives = BATTERY_RECORDINGS if plan.sources == "recorded" else None
        self._battery = Battery(progress, logs, self._cache, disk.bucket, archives)
        self._there: dict[str, Dataset] = {}
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._opening = threading.Lock()
        self._at_full_scale = threading.Lock()
        self._recordings: dict[tuple[Path, str | None], Recording] = {}

    def announce(self, names: Iterable[str]) -> None:
        """Registers datasets that the run needs. Those of the battery are then written together."""
        self._battery.announce(name for name in names if name in BATTERY)

    def stop(self) -> None:
        """Starts no further table of the battery."""
        self._battery.stop()

    @property
    def recorded_on(self) -> dict[str, str | None]:
        """The day of the recording that each dataset so far is from, by name; None for those that Spark wrote. Those
        that need neither are left out.
        """
        there = {name: one for name, one in list(self._there.items()) if writer_here(one.recipe) is None}
        return {name: one.recorded_on for name, one in there.items()}

    def live(self, recipe: Recipe | BatteryTable) -> Dataset:
        """The dataset as Spark writes it: from a recording, or built once per options and versions, then cached."""
        with self._locks[recipe.name]:
            if recipe.name not in self._there:
                written = self._of_battery(recipe) if isinstance(recipe, BatteryTable) else self._live(recipe)
                self._there[recipe.name] = written
            return self._there[recipe.name]

    def _of_battery(self, table: BatteryTable) -> Dataset:
        """A battery table: written to the local disk for its address in the store."""
        day: str | None = None
        if (write := writer_here(table, self._disk.bucket)) is not None:
            kept, facts = self._written_here(table, write)
            key = kept.name
        else:
            kept, facts = self._battery.kept(table)
            key = key_of(build=sorted(path.relative_to(kept).as_posix() for path in kept.rglob("*")))
            day = self._battery.recorded_on(table)
        prefix = prefix_of(table.name)
        stages = stages_of(table, kept, facts)
        assert stages[-1].tree is not None
        self._disk.show(prefix, stages[-1].tree)
        return Dataset(table, prefix, stages, key, "live", facts["versions"], recorded_on=day, tree=stages[-1].tree)

    def _written_here(
        self, table: BatteryTable, write: Callable[[BatteryTable, Path], dict[str, Any]]
    ) -> tuple[Path, dict[str, Any]]:
        """As `Battery.kept`, of a table that needs no Spark."""

        def build(folder: Path) -> None:
            (folder / BATTERY_FACTS).write_text(json.dumps(write(table, folder)), encoding="utf-8")

        with self._progress.step("dataset", table.name):
            libraries = FORMATS[table.format].libraries()
            installed: dict[str, Any] = {"libraries": libraries} if libraries else {}
            if FORMATS[table.format].write_at is not None:
                installed |= {"bucket": self._disk.bucket, "pyiceberg": version("pyiceberg")}
            key = key_of(table=table.key, pyarrow=version("pyarrow"), **installed)
            kept = self._cache.publish(KIND, key, build)
        return kept, json.loads((kept / BATTERY_FACTS).read_text(encoding="utf-8"))

    def _live(self, recipe: Recipe) -> Dataset:
        """Builds one dataset at a time: at full scale Spark needs the whole machine."""
        with self._at_full_scale:
            return self._of_recipe(recipe)

    def _of_recipe(self, recipe: Recipe) -> Dataset:
        key = self._key(recipe)
        prefix = prefix_of(recipe.name)
        recorded = self._recorded(recipe)
        with self._progress.step("dataset", recipe.name) as step:
            kept = self._cache.lookup("dataset", key)
            if recorded is not None:
                kept = recorded.restored(self._cache)
                step.detail = f"{recipe.name}: restored from the recording of {recorded.day}"
            elif kept is None:
                kept = self._cache.publish("dataset", key, lambda folder: self._write(recipe, prefix, folder, step))
            else:
                step.detail = f"{recipe.name}: cached"
            self._disk.show(prefix, kept / TREE)
        facts = json.loads((kept / FACTS).read_text(encoding="utf-8"))
        tree = kept / TREE
        stage = Stage("written", base_files_in(tree, recipe.format), tree=tree)
        key, day = key_of(build=facts["build"]), recorded.day if recorded else None
        return Dataset(recipe, prefix, (stage,), key, "live", facts["versions"], recorded_on=day, tree=tree)

    def _recorded(self, recipe: Recipe) -> RecordedRecipe | None:
        if self._plan.sources != "recorded" or self._plan.tlc is not None:
            return None
        return RecordedRecipe.find(recipe, self._plan, self._disk.bucket)

    def _key(self, recipe: Recipe) -> str:
        row = stack()
        return key_of(
            sources={path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in recipe.sources},
            jars=row.jars,
            spark=row.spark,
            scale=self._plan.scale,
            seed=self._plan.seed,
            tlc=_content(self._plan.tlc),
            year=self._plan.year,
            address=self._disk.uri(prefix_of(recipe.name)),
        )

    def _write(self, recipe: Recipe, prefix: str, folder: Path, step: LongStep) -> None:
        self._progress.update(step, f"{recipe.name}: resolving jars")
        jars = resolve_spark_jars(stack(), self._progress.downloads(step, recipe.name))
        self._progress.update(step, f"{recipe.name}: Spark is writing")
        store = self._running().store
        delete(store, prefix)
        facts = run(
            recipe,
            store.uri(prefix),
            store,
            scale=self._plan.scale,
            seed=self._plan.seed,
            tlc=self._plan.tlc,
            year=self._plan.year,
            jars=jars,
            java_home=find_java(stack().java),
            log=self._logs / f"{recipe.name}.log",
            timeout=SPARK_SECONDS,
        )
        files = download(store, prefix, folder / TREE)
        if FORMATS[recipe.format].is_translated:
            demand_own_addresses(folder / TREE, store.uri(prefix))
        kept: dict[str, Any] = {"versions": facts["versions"], "told": facts, "build": sorted(files)}
        (folder / FACTS).write_text(json.dumps(kept, indent=1), encoding="utf-8")
        step.detail = f"{recipe.name}: {many(facts['rows'], 'row')} written by Spark"

    def recorded(self, recipe: Recipe | BatteryTable, release: str) -> Dataset:
        """The dataset from the recordings, with the Iceberg metadata that `release` wrote, where it is to write any."""
        with self._locks[recipe.name]:
            if recipe.name not in self._there:
                self._there[recipe.name] = self._replayed(recipe, release)
            return self._there[recipe.name]

    def _replayed(self, recipe: Recipe | BatteryTable, release: str) -> Dataset:
        own = FORMATS[recipe.format]
        over = release if own.is_translated and not own.as_target else None
        with self._progress.step("dataset", f"{recipe.name}: from the recordings") as step:
            recording = self.recording(recipe, over)
            step.detail = f"{recipe.name}: from the recording {recording.name}"
            prefix = recording.show(recipe.name, self._disk)
        made_with = recording.sources.get("versions") or {
            name: recording.sources["stack"][name] for name in ("spark", "hudi", "iceberg")
        }
        versions = {name: str(version) for name, version in made_with.items()}
        if isinstance(recipe, BatteryTable) and recipe.hudi:
            versions["hudi"] = recipe.hudi
        stages = recorded_stages(recording, recipe)
        syncs = recording.beside(recipe.name, SYNCS) if isinstance(recipe, BatteryTable) else None
        key, day = f"recorded-{release}", recording.sources_day
        return Dataset(recipe, prefix, stages, key, "recorded", versions, syncs, day, recording.tree(recipe.name))

    def recording(self, recipe: Recipe | BatteryTable, release: str | None) -> Recording:
        """The recording that holds the dataset. Those of small tables are archives."""
        archives = self._plan.archives
        place = archives if isinstance(recipe, BatteryTable) else RECORDINGS
        with self._opening:
            if (place, release) not in self._recordings:
                root = unpacked(archives, self._cache) if place == archives else RECORDINGS
                self._recordings[place, release] = Recording.open(release, root, self._plan.upgrade_from)
            return self._recordings[place, release]


def stages_of(table: BatteryTable, kept: Path, facts: dict[str, Any]) -> tuple[Stage, ...]:
    """The stages of a battery table that is kept in that folder."""
    stages = []
    for number, stage in enumerate(facts["stages"], start=1):
        tree = kept / str(number)
        rows = kept / f"{number}.rows.parquet"
        shown = rows if rows.is_file() else None
        columns = columns_in(shown) if shown else None
        files = _base_files(table, tree)
        merged = stage.get("snapshot_rows")
        stages.append(Stage(stage["words"], files, shown, stage["rows"], columns, tree, merged))
    return tuple(stages)


def _base_files(table: BatteryTable, tree: Path) -> dict[str, int]:
    try:
        return base_files_in(tree, table.format)
    except Problem:
        if len(table.steps) > 1:
            raise
        return data_files(tree)  # hudi-rs refuses some partitionings; after a single commit every file is live


def _content(folder: Path | None) -> dict[str, str] | None:
    """File name -> SHA-256 of the Parquet files in a folder of real trips."""
    if folder is None:
        return None
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.glob("*.parquet"))}

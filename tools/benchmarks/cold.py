"""A cold audit beside the same work without the suite: of the published tables, and of the battery."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from itertools import zip_longest
from pathlib import Path

import pyarrow.parquet as pq
from rich.console import Console

from lab.provision.battery_sources import Battery
from lab.provision.dataset import Dataset
from lab.provision.history import put_in_place
from lab.provision.progress import Progress
from lab.provision.translator_pool import Translators
from lab.recording.battery import Histories, histories_of
from lab.recording.places import places
from lab.stack.cache import Cache, cache_root
from lab.stack.jars import is_resolvable, resolve_spark_jars
from lab.stack.java import find_java
from lab.stack.versions import Release, releases, stack
from lab.store import moto
from lab.store.address import prefix_of
from lab.store.tables import InStore
from spark_jobs.battery.tables import BATTERY
from spark_jobs.launch import run as write
from spark_jobs.recipes import RECIPES
from tools.benchmarks.timing import run
from xtable.replay import BATTERY_RECORDINGS
from xtable.sync import Translator
from xtable.sync_report import SyncFailed
from xtable_audit.model.figures import many

SAME_WORK = " or ".join(RECIPES)
"""The audit of the published tables alone: the battery has no bare counterpart here."""
KEPT = ("maven", "classpath", "jdk")
"""Folders of the cache that a cold audit may keep: downloads."""


def cold(scale: float) -> Iterator[str]:
    """A cold audit (jars cached, tables not) against the bare Spark writes and XTable syncs, run as plain scripts.

    The goal is a ratio of at most 1.3.
    """
    release = next((r for r in releases() if is_resolvable(r)), None)
    if release is None:
        yield "inconclusive: no XTable release resolves here, so there is nothing to compare"
        return
    with tempfile.TemporaryDirectory() as folder:
        alone = _published_by_scripts(scale, Path(folder))
        cache = cold_cache(Path(folder))
        whole, _ = run(
            [
                "-m",
                "pytest",
                "-q",
                "-k",
                SAME_WORK,
                "--scale",
                str(scale),
                "--xtable",
                release.version,
                "--sources=written",
                f"--out={folder}",
            ],
            {"XTABLE_AUDIT_CACHE": str(cache)},
        )
    yield f"three writes and two syncs, bare    {alone:6.1f} s"
    yield f"the audit, tables not cached        {whole:6.1f} s"
    yield f"ratio                               {whole / alone:6.2f}"


def cold_cache(folder: Path) -> Path:
    """A new cache in the folder, with only the downloads of the existing one."""
    cold = folder / "cache"
    cold.mkdir()
    for kind in KEPT:
        if (cache_root() / kind).is_dir():
            os.symlink(cache_root() / kind, cold / kind)
    return cold


def _published_by_scripts(scale: float, folder: Path) -> float:
    """Seconds of the same work without the suite: scripts one after the other, then a JVM that syncs both tables."""
    release = next(r for r in releases() if is_resolvable(r))
    jars, java = resolve_spark_jars(stack()), find_java(stack().java)
    with moto.start() as running:
        started = time.monotonic()
        for recipe in RECIPES.values():
            target = running.store.uri(recipe.name)
            log = folder / f"{recipe.name}.log"
            write(
                recipe, target, running.store,
                scale=scale, seed=7, tlc=None, year=2023, jars=jars, java_home=java, log=log, timeout=3600,
            )  # fmt: skip
        with Translator.start(release, InStore(running.store), folder) as translator:
            for recipe in RECIPES.values():
                if recipe.format == "HUDI":
                    target = running.store.uri(recipe.name)
                    translator.sync(recipe.format, target, recipe.name, recipe.partition_spec, "FULL")
        return time.monotonic() - started


FORMATS = ("HUDI", "DELTA")


def bare(scale: float) -> Iterator[str]:
    """A cold audit of the battery, without readers, beside bare scripts: the same syncs, and every data file read once.

    The goal is a ratio of at most 1.5. Both restore the source tables from recordings and sync them on this disk. The
    scripts compare nothing: XTable syncs after each stage, Hudi's tables in one JVM and Delta's in another. Then
    pyarrow reads every column of the newest files, in a process a core.
    """
    release = next((one for one in releases() if is_resolvable(one)), None)
    if release is None:
        yield "inconclusive: no XTable release resolves here, so there is nothing to compare"
        return
    with tempfile.TemporaryDirectory() as folder:
        alone, words = _battery_by_scripts(release, Path(folder))
        environment = {"XTABLE_AUDIT_CACHE": str(cold_cache(Path(folder)))}
        options = ["-q", "-n", "auto", "--maxprocesses=4", "--readers=none", "--scale", str(scale), f"--out={folder}"]
        audit, _ = run(["-m", "pytest", *options, "--xtable", release.version], environment)
    yield f"{words}, bare {alone:6.1f} s"
    yield f"the audit, nothing cached but jars  {audit:6.1f} s"
    yield f"ratio                               {audit / alone:6.2f}"


def _battery_by_scripts(release: Release, folder: Path) -> tuple[float, str]:
    """Seconds by the clock, and what was done."""
    started = time.monotonic()
    battery = Battery(Progress(Console(quiet=True)), folder, Cache(folder / "bare-cache"), archives=BATTERY_RECORDINGS)
    tables = [table for table in BATTERY.values() if table.format in FORMATS]
    battery.announce(table.name for table in tables)
    histories = histories_of(battery, tables)
    with ThreadPoolExecutor(len(FORMATS)) as side_by_side:
        by_format = [{name: one for name, one in histories.items() if BATTERY[name].format == of} for of in FORMATS]
        syncs = sum(side_by_side.map(lambda these: _synced(release, these, folder), by_format))
    newest = [stages[-1] for stages in histories.values()]
    files = [one.tree / path for one in newest if one.tree for path in one.base_files]
    with ProcessPoolExecutor() as processes:
        rows = sum(processes.map(_rows_read, files, chunksize=16))
    of = f"{many(syncs, 'sync')} of {many(len(histories), 'table')}"
    words = f"{of}, {many(rows, 'row')} of {many(len(files), 'file')} read"
    return time.monotonic() - started, words


def _synced(release: Release, histories: Histories, folder: Path) -> int:
    """The number of syncs: one after each stage, one without new commits and a full one, as in an audit."""
    syncs = 0
    with places("mount") as place, ExitStack() as ending:
        translators = Translators(None, place.tables, folder)
        ending.callback(translators.stop)
        for name, stages in histories.items():
            table, prefix = BATTERY[name], prefix_of(name)
            dataset = Dataset(table, prefix, stages)
            with place.of(prefix) as tables, translators.of_table(alone=table.alone) as translator_of:
                modes = ["INCREMENTAL"] * (len(stages) + 1) + ["FULL"]
                for number, (stage, mode) in enumerate(zip_longest(stages, modes), start=1):
                    if stage is not None and stage.tree is not None:
                        put_in_place(tables, prefix, stage.tree, dataset.seconds(number))
                    with suppress(SyncFailed):  # some tables are there because XTable fails on them
                        translator_of(release.version).sync(
                            table.format, tables.uri(prefix), name, table.partition_spec, mode
                        )
                    syncs += 1
    return syncs


def _rows_read(file: Path) -> int:
    return int(pq.read_table(file, partitioning=None).num_rows)

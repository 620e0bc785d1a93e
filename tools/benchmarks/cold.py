"""A cold audit (jars cached, tables not) against the bare Spark writes and XTable syncs, run as plain scripts.

The goal is a ratio of at most 1.3.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from lab.stack.cache import cache_root
from lab.stack.jars import is_resolvable, resolve_spark_jars
from lab.stack.java import find_java
from lab.stack.versions import releases, stack
from lab.store import moto
from lab.store.tables import InStore
from spark_jobs.launch import run as write
from spark_jobs.recipes import RECIPES
from tools.benchmarks.timing import run
from xtable.sync import Translator

SAME_WORK = " or ".join(RECIPES)
"""The audit of the published tables alone: the battery has no bare counterpart here."""
KEPT = ("maven", "classpath", "jdk")
"""Folders of the cache that a cold audit may keep: downloads."""


def measure(scale: float) -> Iterator[str]:
    release = next((r for r in releases() if is_resolvable(r)), None)
    if release is None:
        yield "inconclusive: no XTable release resolves here, so there is nothing to compare"
        return
    with tempfile.TemporaryDirectory() as folder:
        bare = _bare(scale, Path(folder))
        cold = cold_cache(Path(folder))
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
            {"XTABLE_AUDIT_CACHE": str(cold)},
        )
    yield f"three writes and two syncs, bare    {bare:6.1f} s"
    yield f"the audit, tables not cached        {whole:6.1f} s"
    yield f"ratio                               {whole / bare:6.2f}"


def cold_cache(folder: Path) -> Path:
    """A new cache in the folder, with only the downloads of the existing one."""
    cold = folder / "cache"
    cold.mkdir()
    for kind in KEPT:
        if (cache_root() / kind).is_dir():
            os.symlink(cache_root() / kind, cold / kind)
    return cold


def _bare(scale: float, folder: Path) -> float:
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

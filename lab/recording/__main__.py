"""Rewrites the recordings: `python -m lab.recording [RELEASE …]`; `--tables A,B` limits it to these battery tables.

Spark writes each dataset once, to a store of its own. Each release that resolves translates its own copy. The resulting
tables replace those in `recordings/`. Battery tables that a finding about upgrades names are also recorded after an
upgrade in place.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import Any

from lab.provision.plan import ON_REQUEST, Plan
from lab.provision.recorded_sources import entry_of
from lab.provision.sources.every_source import FORMATS
from lab.provision.targets import demand_readers
from lab.recording.battery import record_battery
from lab.recording.further_writers import FURTHER, record_further
from lab.recording.on_request import record_hudi, record_requested
from lab.recording.provenance import seal
from lab.stack.jars import is_resolvable, resolve_spark_jars
from lab.stack.java import find_java
from lab.stack.project import ROOT
from lab.stack.versions import Release, release, releases, stack
from lab.store import moto, objects
from lab.store.address import Workspace, prefix_of
from lab.store.tables import InStore
from spark_jobs import launch
from spark_jobs.battery.tables import chosen
from spark_jobs.recipes import RECIPES, Recipe
from xtable.replay import RECORDINGS, SOURCES
from xtable.sync import Translator
from xtable_audit.model.problem import Problem

DEFAULT = Plan()  # recordings use a live run's default scale: all of recordings/ stays within 15 MB
LOGS = ROOT / "out" / "record"
_SECONDS = 900  # to write one dataset, or to translate one table


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m lab.recording", description="Makes the recordings again.")
    parser.add_argument("releases", nargs="*", metavar="RELEASE", help="XTable releases; all that resolve by default")
    parser.add_argument("--battery", action="store_true", help="the battery alone")
    parser.add_argument(
        "--tables", metavar="A,B", default="", help="of the battery these alone, others stay as they are"
    )
    parser.add_argument(
        "--writers",
        nargs="+",
        choices=sorted(one.id for one in FURTHER),
        help="what these of XTable's writers make of the recorded sources, alone",
    )
    for format in ON_REQUEST:
        parser.add_argument(f"--{format}", action="store_true", help=f"what `--source-format {format}` has, alone")
    parser.add_argument("--hudi", action="store_true", help="what Hudi's own reader answers of its own tables, alone")
    parser.add_argument(
        "--sources", default=DEFAULT.sources, choices=("recorded", "written"), help="the battery's, as in an audit"
    )
    parser.add_argument(
        "--sync-through", default="store", choices=("store", "mount"), help="how XTable reaches the battery's tables"
    )
    options = parser.parse_args(arguments)
    LOGS.mkdir(parents=True, exist_ok=True)
    try:
        if options.hudi:
            record_hudi(LOGS)
            return 0
        only = chosen(options.tables.split(",")) if options.tables else ()
        by = [_known(version) for version in options.releases] or [one for one in releases() if is_resolvable(one)]
        if plans := [Plan(source_format=format) for format in ON_REQUEST if getattr(options, format)]:
            for plan, one in product(plans, by if options.releases else ()):
                demand_readers(plan, one)
            for plan in plans:
                record_requested(plan, by, LOGS)
            return 0
        if not (options.battery or options.writers or only):
            record(by)
            record_hudi(LOGS)
            for format in ON_REQUEST:
                record_requested(Plan(source_format=format), by, LOGS)
        if not options.writers:
            record_battery(by, LOGS, only=only, sources=options.sources, through=options.sync_through)
        writers = [one for one in FURTHER if one.id in (options.writers or [one.id])]
        record_further(by, LOGS, only=only, writers=writers, through=options.sync_through)
    except Problem as problem:
        print(problem, file=sys.stderr)
        return 2
    return 0


def _known(version: str) -> Release:
    """The release. Raises Problem for one without a row: recordings are found by their rows."""
    if not (one := release(version)).known:
        raise Problem(f"XTable {version} has no row in lab/stack/versions.toml, which a recording needs. Add it first.")
    return one


def record(requested: Sequence[Release], root: Path = RECORDINGS, scale: float = DEFAULT.scale) -> None:
    """Records the sources and the given releases under `root`.

    Deletes the recordings of other releases: they translate older sources. Raises Problem if no release is given.
    """
    if not requested:
        raise Problem("No XTable release resolves here, so there is nothing to record.")
    with tempfile.TemporaryDirectory(prefix="xtable-audit-record-") as folder, moto.start() as running:
        scratch = Path(folder)
        LOGS.mkdir(parents=True, exist_ok=True)
        written = {name: _write(recipe, running.store, scale) for name, recipe in RECIPES.items()}
        sources = scratch / SOURCES
        for name in RECIPES:
            objects.download(running.store, prefix_of(name), sources / name)
        native = [name for name, recipe in RECIPES.items() if not FORMATS[recipe.format].is_translated]
        facts = {
            "stack": asdict(stack()),
            "scale": scale,
            "seed": DEFAULT.seed,
            "year": DEFAULT.year,
            "recipes": {name: entry_of(recipe) for name, recipe in RECIPES.items()},
            "written": written,
        }
        seal(sources, datasets=native, hudi=[name for name in RECIPES if name not in native], **facts)
        for one in requested:
            _translate(one, sources, scratch)
        for name in (SOURCES, *(one.version for one in requested)):
            _replace(root / name, scratch / name)
    for stale in (one for one in releases() if one not in requested):
        shutil.rmtree(root / stale.version, ignore_errors=True)


def _write(recipe: Recipe, store: Workspace, scale: float) -> dict[str, Any]:
    print(f"{recipe.name}: Spark is writing", flush=True)
    return launch.run(
        recipe,
        store.uri(prefix_of(recipe.name)),
        store,
        scale=scale,
        seed=DEFAULT.seed,
        tlc=None,
        year=DEFAULT.year,
        jars=resolve_spark_jars(stack()),
        java_home=find_java(stack().java),
        log=LOGS / f"{recipe.name}.log",
        timeout=_SECONDS,
    )


def _translate(one: Release, sources: Path, scratch: Path) -> None:
    """Translates in a new store, since every release translates the table at the same address."""
    reports = {}
    with moto.start() as running, Translator.start(one, InStore(store := running.store), LOGS) as translator:
        for name, recipe in RECIPES.items():
            if not FORMATS[recipe.format].is_translated:
                continue
            print(f"{name}: XTable {one} is translating", flush=True)
            prefix = prefix_of(name)
            objects.upload(store, prefix, sources / name)
            report = translator.sync(
                recipe.format, store.uri(prefix), name, recipe.partition_spec, "FULL", timeout=_SECONDS
            )
            objects.download(store, f"{prefix}/metadata", scratch / one.version / name / "metadata")
            reports[name] = {"metadata_location": report.metadata_location, "result": report.result, "log": report.log}
    facts = {"release": one.version, "stack": asdict(stack()), "syncs": reports}
    seal(scratch / one.version, datasets=list(reports), **facts)


def _replace(place: Path, made: Path) -> None:
    """Replaces the old recording by a finished one by renaming, so that a partial copy never has its name."""
    place.parent.mkdir(parents=True, exist_ok=True)
    new = place.with_name(f".{place.name}.new")
    old = place.with_name(f".{place.name}.old")
    for leftover in (new, old):
        shutil.rmtree(leftover, ignore_errors=True)
    shutil.copytree(made, new)
    if place.exists():
        place.rename(old)
    new.rename(place)
    shutil.rmtree(old, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())

"""Records the battery: the sources, and each release's translation, from scratch and after an upgrade, as archives.

To record only some tables, it unpacks the archives, replaces these tables and packs everything again. The other tables
of the battery stay as they are.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console

from lab.provision.battery_sources import Battery
from lab.provision.catalogue import Catalogue
from lab.provision.checked_register import REGISTER, register
from lab.provision.dataset import STAGES, Dataset, Stage, record_stages
from lab.provision.history import SYNCS, play, write_syncs
from lab.provision.live_or_recorded import NEWEST, TRANSLATED, newest_of, translated_from
from lab.provision.plan import OVER_MOUNT, SMALL_TABLES, Plan
from lab.provision.progress import Progress
from lab.provision.recorded_sources import record_written, written_key
from lab.provision.source_stats import STATS, keep
from lab.provision.source_tables import stages_of
from lab.provision.sources.every_source import FORMATS, with_own_jars
from lab.provision.translator_pool import Translators
from lab.recording.places import places
from lab.recording.provenance import seal
from lab.stack.cache import Cache
from lab.stack.jars import resolve_xtable_jars
from lab.stack.versions import Release, stack
from lab.store.address import BUCKET, prefix_of, root_of
from lab.subjects.groups import with_and_without_statistics
from spark_jobs.battery.table import BatteryTable
from spark_jobs.battery.tables import BATTERY
from spark_jobs.recipes import RECIPES, Recipe
from xtable.replay import BATTERY_RECORDINGS, PROVENANCE, SOURCES, SUFFIX, pack, unpack
from xtable.same_output import digest_of_classes
from xtable.writer import ICEBERG, Way, Writer, ways
from xtable_audit.model.problem import Problem
from xtable_audit.model.subject_id import SubjectId

DEFAULT = Plan()
Histories = dict[str, tuple[Stage, ...]]


def record_battery(
    requested: Sequence[Release],
    logs: Path,
    root: Path = BATTERY_RECORDINGS,
    only: Sequence[BatteryTable] = (),
    sources: str = DEFAULT.sources,
    through: str = "store",
) -> None:
    """Writes the archive of the sources and one per way under `root`.

    Source tables that are recorded there are restored, and cached ones are reused; `sources` is as in `Plan`, and
    `through` is how XTable reaches the tables: `store` or `mount`. With `only`, records these tables again and keeps
    the others that are recorded there.
    """
    if only:
        demand_all_recorded(requested, root)
    tables = tuple(only) or tuple(BATTERY.values())
    kept = BATTERY.keys() - {table.name for table in tables}
    names = [SOURCES, *(way.name for way in ways(requested))]
    progress = Progress(Console(highlight=False))
    battery = Battery(progress, logs, Cache(), archives=None if sources == "written" else root)
    battery.announce(table.name for table in tables)
    with tempfile.TemporaryDirectory(prefix="xtable-audit-record-") as folder:
        scratch = Path(folder)
        for name in names:
            (scratch / name).mkdir()
            if only:
                unpack_kept(root / f"{name}{SUFFIX}", scratch / name, kept)
        histories = _sources(battery, tables, scratch / SOURCES)
        with ThreadPoolExecutor(os.cpu_count()) as side_by_side:  # each way uses its own JVM, store and folders
            done = [
                side_by_side.submit(translate, way, _of(way, histories), scratch / way.name, logs / way.name, through)
                for way in ways(requested)
            ]
            for one in done:
                one.result()
        for name in names:
            pack(scratch / name, root / f"{name}{SUFFIX}")
    for stale in (path for path in root.glob(f"*{SUFFIX}") if path.name.removesuffix(SUFFIX) not in names):
        stale.unlink()


def _of(way: Way, histories: Histories) -> Histories:
    """All histories; for an upgrade in place only tables that a finding about upgrades names, and their twins."""
    if way.since is None:
        return histories
    where = [one for entry in register(REGISTER) for one in entry.where if one.upgrade_from is not None]
    named = {table for one in where for table in one.subjects}
    pairs = with_and_without_statistics(Catalogue(Plan()).ids)
    named |= {other for table, other in pairs if table in named}
    return {name: stages for name, stages in histories.items() if str(SubjectId(name, "xtable")) in named}


def demand_all_recorded(requested: Sequence[Release], root: Path) -> None:
    """Raises Problem unless exactly these releases are recorded: all of them share a table's source."""
    there = {path.name.removesuffix(SUFFIX) for path in root.glob(f"*{SUFFIX}")} - {SOURCES}
    wanted = [way.name for way in ways(requested)]
    if there != set(wanted):
        raise Problem(
            f"Tables are recorded for all releases at once: recorded are {', '.join(sorted(there)) or 'none'}, "
            f"requested are {', '.join(wanted)}. Name the recorded releases, or record the whole battery."
        )


def unpack_kept(archive: Path, folder: Path, kept: Collection[str]) -> None:
    """Unpacks these tables of the recording alone. Raises Problem if another stack wrote it."""
    unpack(archive, folder)
    made_with = _provenance(folder)["stack"]
    if made_with != json.loads(json.dumps(asdict(stack()))):
        raise Problem(f"{archive.name} was recorded with the stack {made_with['name']}: record the whole battery.")
    for path in folder.iterdir():
        if path.name.partition(".")[0] in (*kept, Path(PROVENANCE).stem):
            continue
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def _provenance(folder: Path) -> dict[str, Any]:
    path = folder / PROVENANCE
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return found


def histories_of(battery: Battery, tables: Sequence[BatteryTable]) -> Histories:
    """The stages of each table. Raises Problem for one that is neither recorded nor written."""
    return {table.name: stages_of(table, *battery.kept(table)) for table in tables}


def _sources(battery: Battery, tables: Sequence[BatteryTable], folder: Path) -> Histories:
    histories: Histories = {}
    failed: dict[str, str] = _provenance(folder).get("failed", {})
    for table in tables:
        try:
            kept, facts = battery.kept(table)
            histories[table.name] = stages_of(table, kept, facts)
        except Problem as problem:
            failed[table.name] = str(problem)
            continue
        failed.pop(table.name, None)
        record_stages(histories[table.name], folder, table.name)
        record_written(kept, folder, table.name, written_key(table, root_of(BUCKET)))
    seal(folder, datasets=[], recorded=tables_with(folder, STAGES), failed=failed, stack=asdict(stack()))
    return histories


def tables_with(folder: Path, what: str) -> list[str]:
    """The tables with a file `<name>.<what>` in the folder."""
    return sorted(path.name.removesuffix(f".{what}") for path in folder.glob(f"*.{what}"))


def by_way(names: Iterable[str], through: str) -> dict[str, list[str]]:
    """The tables by how XTable reaches them: `through`, but for those that it can reach in one way alone."""
    found: dict[str, list[str]] = {}
    for name in names:
        way = "local" if FORMATS[_entry(name).format].is_local else "mount" if name in OVER_MOUNT else through
        found.setdefault(way, []).append(name)
    return found


def _entry(name: str) -> Recipe | BatteryTable:
    return SMALL_TABLES.get(name) or RECIPES[name]


def translate(way: Way, histories: Histories, folder: Path, logs: Path, through: str, writer: Writer = ICEBERG) -> None:
    """Syncs each history and records into `folder` what the syncs wrote. `through` is as in `record_battery`."""
    since = way.since.version if way.since else None
    classes, on = digest_of_classes(resolve_xtable_jars(way.release)), datetime.now(UTC).date().isoformat()
    translated: dict[str, dict[str, str]] = _provenance(folder).get(TRANSLATED, {})
    for where, names in by_way(histories, through).items():
        with places(where) as place, ExitStack() as ending:
            sources = with_own_jars(_entry(name).format for name in names)
            translators = Translators(None, place.tables, logs, sources=sources)
            ending.callback(translators.stop)
            for name in names:
                print(f"{name}: XTable {way.name} is translating to {writer.words}", flush=True)
                table, prefix, stages = _entry(name), prefix_of(name), histories[name]
                dataset, alone = Dataset(table, prefix, stages), getattr(table, "alone", False)
                with place.of(prefix) as tables, translators.of_table(alone=alone) as translator_of:
                    syncs = list(play(dataset, tables, way.release.version, translator_of, since, writer))
                    keep(folder / f"{name}.{STATS}", dataset, tables, translator_of(way.release.version))
                    tables.download(f"{prefix}/{writer.folder}", folder / name / writer.folder)
                write_syncs(folder / f"{name}.{SYNCS}", syncs)
                translated[name] = translated_from(stages, classes) | {"on": on, "through": where}
                if writer is not ICEBERG and (newest := stages[-1].tree):
                    translated[name][NEWEST] = newest_of(newest)
    facts = {"release": way.release.version, "since": since, "stack": asdict(stack()), TRANSLATED: translated}
    seal(folder, datasets=tables_with(folder, SYNCS), **facts)

"""Records what a run has on request alone, as each target, and the answers of Hudi's own reader."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from itertools import product
from pathlib import Path

from rich.console import Console

from lab.provision.dataset import record_stages
from lab.provision.hudi.kept_table import HUDI_RECORDINGS, record
from lab.provision.hudi.laboratory import HudiLab
from lab.provision.live_or_recorded import archives_of
from lab.provision.plan import ON_REQUEST, Plan
from lab.provision.progress import Progress
from lab.provision.source_tables import stages_of
from lab.provision.sources.every_source import FORMATS, writer_here
from lab.provision.targets import reads
from lab.provision.translator_registry import TRANSLATORS
from lab.recording.battery import Histories, translate
from lab.recording.provenance import seal
from lab.stack.cache import SEAL, Cache
from lab.stack.versions import Release, stack
from lab.store import moto
from lab.store.running import RunningStore
from lab.subjects.hudi_tables import hudi_specs
from xtable.replay import SOURCES, SUFFIX, pack
from xtable.writer import WRITERS, Way


def record_requested(plan: Plan, requested: Sequence[Release], logs: Path, root: Path | None = None) -> None:
    """Writes an archive of the tables of the plan's source format, and one per writer and release that reads them,
    below `root`, where the plan has them by default; nothing if none does.

    XTable reaches the tables on this disk, as in a live run.
    """
    having = [one for one in requested if reads(plan, one)]
    if not having:
        return
    tables = ON_REQUEST[plan.source_format]
    with tempfile.TemporaryDirectory(prefix="xtable-audit-record-") as scratch:
        written, made = Path(scratch) / "written", Path(scratch) / "made"
        (made / SOURCES).mkdir(parents=True)
        histories, archives = _histories(plan, written, made / SOURCES), root or plan.archives
        to_pack = {made / SOURCES: archives / f"{SOURCES}{SUFFIX}"}
        for writer, one in product(WRITERS.values(), having):
            taken = {name: histories[name] for name, table in tables.items() if TRANSLATORS[writer.id].takes(table)}
            if not (taken and writer.is_of(one)):
                continue
            folder = made / writer.id / one.version
            folder.mkdir(parents=True)
            translate(Way(one), taken, folder, logs / f"{one.version}-{plan.source_format}", "mount", writer)
            to_pack[folder] = archives_of(writer, archives) / f"{one.version}{SUFFIX}"
        for folder, archive in to_pack.items():
            pack(folder, archive)


def _histories(plan: Plan, written: Path, sources: Path) -> Histories:
    histories: Histories = {}
    tables = ON_REQUEST[plan.source_format]
    for name, table in tables.items():
        print(f"{name} is written", flush=True)
        kept = written / name
        kept.mkdir(parents=True)
        write = writer_here(table)
        assert write is not None, f"Spark writes {name}"
        facts = write(table, kept)
        histories[name] = stages_of(table, kept, facts)
        record_stages(histories[name], sources, name)
    keys = {name: table.key for name, table in tables.items()}
    alone = [name for name, table in tables.items() if FORMATS[table.format].as_target]
    seal(sources, datasets=alone, recorded=[*tables], stack=asdict(stack()), versions=facts["versions"], keys=keys)
    return histories


def record_hudi(logs: Path, root: Path = HUDI_RECORDINGS) -> None:
    """Writes one archive per release under `root`. Reuses cached answers. Raises Problem if a table cannot be built."""
    with tempfile.TemporaryDirectory(prefix="xtable-audit-record-") as scratch:
        started: list[RunningStore] = []

        @cache
        def store() -> RunningStore:
            started.append(moto.start())
            return started[0]

        lab = HudiLab(Progress(Console(highlight=False)), logs, Cache(), store, Plan().shipping)
        lab.announce(hudi_specs())
        try:
            for spec in hudi_specs():
                kept = lab.folder(spec)
                shutil.copytree(kept, Path(scratch) / spec.release / str(spec.id), ignore=shutil.ignore_patterns(SEAL))
        finally:
            for running in started:
                running.stop()
        for tables in sorted(Path(scratch).iterdir()):
            record(tables.name, tables, root)

"""Records the tables that a run has on request alone, and what each release that reads them makes of them."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from lab.provision.datasets import stages_of
from lab.provision.plan import ON_REQUEST, Plan
from lab.provision.sources.known import FORMATS
from lab.provision.stages import record_stages
from lab.provision.targets import reads
from lab.recording.battery import Histories, translate
from lab.recording.provenance import seal
from lab.stack.versions import Release, stack
from xtable.replay import SOURCES, SUFFIX, pack
from xtable.writer import Way


def record_requested(plan: Plan, requested: Sequence[Release], logs: Path, root: Path | None = None) -> None:
    """Writes an archive of the tables of the plan's source format, and one per release that reads them, below `root`,
    where the plan has them by default; nothing if none does.

    XTable reaches the tables on this disk, as in a live run.
    """
    having = [one for one in requested if reads(plan, one)]
    if not having:
        return
    with tempfile.TemporaryDirectory(prefix="xtable-audit-record-") as folder:
        written, made = Path(folder) / "written", Path(folder) / "made"
        names = [SOURCES, *(one.version for one in having)]
        for name in names:
            (made / name).mkdir(parents=True)
        histories = _histories(plan, written, made / SOURCES)
        for one in having:
            translate(Way(one), histories, made / one.version, logs / f"{one.version}-{plan.source_format}", "mount")
        for name in names:
            pack(made / name, (root or plan.archives) / f"{name}{SUFFIX}")


def _histories(plan: Plan, written: Path, sources: Path) -> Histories:
    histories: Histories = {}
    tables = ON_REQUEST[plan.source_format]
    for name, table in tables.items():
        print(f"{name} is written", flush=True)
        kept = written / name
        kept.mkdir(parents=True)
        write = FORMATS[table.format].write
        assert write is not None, f"Spark writes {name}"
        facts = write(table, kept)
        histories[name] = stages_of(table, kept, facts)
        record_stages(histories[name], sources, name)
    keys = {name: table.key for name, table in tables.items()}
    seal(sources, datasets=[], recorded=[*tables], stack=asdict(stack()), versions=facts["versions"], keys=keys)
    return histories

"""Records folders of Parquet files: as Arrow writes them, and what each release that reads them makes of them."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from lab.provision.datasets import stages_of
from lab.provision.stages import record_stages
from lab.recording.battery import Histories, translate
from lab.recording.provenance import seal
from lab.stack.versions import Release, stack
from spark_jobs.battery.folder import write
from spark_jobs.battery.parquet import FOLDERS
from xtable.replay import FOLDER_RECORDINGS, SOURCES, SUFFIX, pack
from xtable.writer import Way


def record_folders(requested: Sequence[Release], logs: Path, root: Path = FOLDER_RECORDINGS) -> None:
    """Writes an archive of the tables, and one per release that reads them, below `root`; nothing if none does.

    XTable reaches the tables on this disk, as in a live run: it reads folders nowhere else.
    """
    having = [one for one in requested if one.parquet]
    if not having:
        return
    with tempfile.TemporaryDirectory(prefix="xtable-audit-record-") as folder:
        written, made = Path(folder) / "written", Path(folder) / "made"
        names = [SOURCES, *(one.version for one in having)]
        for name in names:
            (made / name).mkdir(parents=True)
        histories = _histories(written, made / SOURCES)
        for one in having:
            translate(Way(one), histories, made / one.version, logs / f"{one.version}-folders", "local")
        for name in names:
            pack(made / name, root / f"{name}{SUFFIX}")


def _histories(written: Path, sources: Path) -> Histories:
    histories: Histories = {}
    for name, table in FOLDERS.items():
        kept = written / name
        kept.mkdir(parents=True)
        facts = write(table, kept)
        histories[name] = stages_of(table, kept, facts)
        record_stages(histories[name], sources, name)
    seal(sources, datasets=[], recorded=[*FOLDERS], stack=asdict(stack()), versions=facts["versions"])
    return histories

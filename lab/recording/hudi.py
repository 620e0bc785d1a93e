"""Records the answers of Hudi's own reader on all Hudi tables, at each release."""

from __future__ import annotations

import shutil
import tempfile
from functools import cache
from pathlib import Path

from rich.console import Console

from lab.provision.hudi.lab import HudiLab
from lab.provision.hudi.recorded import HUDI_RECORDINGS, record
from lab.provision.plan import Plan
from lab.provision.progress import Progress
from lab.stack.cache import SEAL, Cache
from lab.store import moto
from lab.store.running import RunningStore
from lab.subjects.hudi_tables import hudi_specs


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

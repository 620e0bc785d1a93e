"""Recorded answers of Hudi's own reader: one archive of kept tables a release."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from lab.stack.cache import Cache
from lab.stack.versions import SUITE_VERSION, stack_with_hudi
from xtable.archive import SUFFIX, pack, unpacked
from xtable.replay import PROVENANCE, RECORDINGS, checksums
from xtable_audit.model.problem import Problem

HUDI_RECORDINGS = RECORDINGS / "hudi"
"""One archive a release: `provenance.json`, and one folder a table, as `lab.provision.hudi.kept` writes it."""


def record(release: str, tables: Path, root: Path = HUDI_RECORDINGS) -> None:
    """Packs the folder of kept tables, each under its id, as the recording of that release."""
    provenance = {
        "suite": SUITE_VERSION,
        "recorded_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "jars": list(stack_with_hudi(release).jars),
        "checksums": checksums(tables),
    }
    (tables / PROVENANCE).write_text(json.dumps(provenance, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    pack(tables, root / f"{release}{SUFFIX}")


def recorded(id: str, release: str, cache: Cache, root: Path = HUDI_RECORDINGS) -> Path:
    """The folder of a recorded table. Raises Problem if there is no recording of it."""
    folder = unpacked(root, cache) / release / id
    if not folder.is_dir():
        raise Problem(f"There is no recording of {id}: `make record` makes one.")
    return folder

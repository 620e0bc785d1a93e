"""The provenance file of a recording: facts about it, and the checksum of every file."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lab.stack.cache import write_atomically
from lab.stack.versions import SUITE_VERSION
from lab.store.address import BUCKET
from xtable.replay import PROVENANCE, checksums


def seal(folder: Path, **facts: Any) -> None:
    """Writes the provenance file: these facts, the bucket of the addresses, and the checksums."""
    provenance = {
        "suite": SUITE_VERSION,
        "recorded_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "bucket": BUCKET,
        **facts,
        "checksums": checksums(folder),
    }
    write_atomically(folder / PROVENANCE, (json.dumps(provenance, indent=1, sort_keys=True) + "\n").encode())

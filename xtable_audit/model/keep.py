"""A folder of results that later runs take from there. Each entry is whole or absent, and what is damaged is absent.

A folder of the user's own: its entries are pickled.
"""

from __future__ import annotations

import hashlib
import pickle
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

PART = ".part"
"""What a file ends in while it is written."""
DAY = 24 * 3600.0
UNUSED = 30 * DAY
"""Seconds after which an entry that no run takes is removed."""
SWEPT = "swept"
"""A file that is as old as the last sweep: it looks at every entry, of which there may be tens of thousands."""
SEAL = hashlib.sha256().digest_size


@dataclass(frozen=True)
class Keep:
    folder: Path
    anew: bool = False
    """Takes nothing of earlier runs."""

    def get(self, key: str) -> Any | None:
        """The entry of this key; None if there is none, or if its bytes are not those that were written."""
        if self.anew:
            return None
        path = self._path(key)
        try:
            content = path.read_bytes()
            path.touch()
        except OSError:
            return None
        seal, pickled = content[:SEAL], content[SEAL:]
        return pickle.loads(pickled) if hashlib.sha256(pickled).digest() == seal else None

    def put(self, key: str, entry: Any) -> None:
        """Keeps the entry; on a full or read-only disk, keeps nothing."""
        pickled = pickle.dumps(entry, pickle.HIGHEST_PROTOCOL)
        path = self._path(key)
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            with NamedTemporaryFile(dir=path.parent, suffix=PART, delete=False) as part:
                part.write(hashlib.sha256(pickled).digest() + pickled)
            Path(part.name).replace(path)

    def sweep(self) -> None:
        """Removes, once a day, what no run took for long and what was left by runs killed while they wrote."""
        swept = self.folder / SWEPT
        with suppress(OSError):
            if time.time() - swept.stat().st_mtime < DAY:
                return
        with suppress(OSError):  # nothing was kept yet, or nothing can be
            swept.touch()
        for file in self.folder.glob("*/*"):
            with suppress(OSError):  # another run removed it first
                if time.time() - file.stat().st_mtime > UNUSED:
                    file.unlink()

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / key

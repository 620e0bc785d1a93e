"""A copy of a table's metadata, for a plugin that spoils it: what the disk shows belongs to the cache."""

from __future__ import annotations

import shutil
from pathlib import Path

from lab.store.disk import METADATA, Disk


def own_metadata(disk: Disk, prefix: str) -> Path:
    """The folder of the table's metadata, which may now be changed."""
    shown = disk.path(prefix) / METADATA
    kept = shown.resolve()
    shown.unlink()
    shutil.copytree(kept, shown)
    return shown

"""Keeps a table as it stands at one moment: base files by hard link, whatever may be written again by copy."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from spark_jobs.battery.timeline import completes_one_of

NEVER_WRITTEN_AGAIN = {".parquet", ".hfile"}


def keep(table: Path, stage: Path, unseen: Collection[str] = ()) -> int:
    """Copies the tree at `table` to `stage` and returns the number of files.

    Hadoop's checksums of its local files are left behind, and so are the completed instants in `unseen`.
    """
    files = 0
    for path in sorted(table.rglob("*")):
        relative = path.relative_to(table)
        if path.is_dir() or is_checksum(path) or completes_one_of(relative, unseen):
            continue
        target = stage / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix in NEVER_WRITTEN_AGAIN:
            os.link(path, target)
        else:
            shutil.copy2(path, target)
        files += 1
    return files


@contextmanager
def standing_for(table: Path, stage: Path) -> Iterator[None]:
    """While the context lasts, the table's own folder is what was kept: a reader finds the stage at its address."""
    aside = table.with_name(f".{table.name}")
    table.rename(aside)
    table.symlink_to(stage)
    try:
        yield
    finally:
        table.unlink()
        aside.rename(table)


def is_checksum(path: Path) -> bool:
    return path.name.startswith(".") and path.suffix == ".crc"

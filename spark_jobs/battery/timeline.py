"""The timeline of a Hudi table on local disk, in both of its layouts.

Up to table version 6 it is `.hoodie/<instant>.<action>`, from 8 on `.hoodie/timeline/<instant>_<completed>.<action>`.
What has begun and not completed ends in `.requested` or `.inflight` in both, without a time of completion.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

PLACES = (".hoodie", ".hoodie/timeline")
DONE = ("commit", "deltacommit", "replacecommit", "clean", "rollback", "restore", "savepoint", "indexing")


def completed(table: Path) -> set[str]:
    """The times of all completed instants of the table itself."""
    files = (path for place in PLACES for path in (table / place).glob("*"))
    return {instant_of(path) for path in files if path.name.partition(".")[2] in DONE}


def completes_one_of(relative: Path, instants: Collection[str]) -> bool:
    """Whether the file is the completed instant of one of these times, on the timeline of the table itself."""
    return (
        relative.parent.as_posix() in PLACES
        and instant_of(relative) in instants
        and relative.suffix not in (".requested", ".inflight")
    )


def instant_of(path: Path) -> str:
    return path.name.split(".", 1)[0].split("_", 1)[0]

"""The timeline of a Hudi table on local disk, in both of its layouts."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from xtable_audit.formats.hudi.instants import PLACES, HudiInstant, instant_in


def completed(table: Path) -> set[str]:
    """The times of all completed instants of the table itself."""
    names = (path.name for place in PLACES for path in (table / place).glob("*"))
    return {instant.time for name in names if (instant := completed_in(name)) is not None}


def completes_one_of(relative: Path, instants: Collection[str]) -> bool:
    """Whether the file is the completed instant of one of these times, on the timeline of the table itself."""
    instant = completed_in(relative.name) if relative.parent.as_posix() in PLACES else None
    return instant is not None and instant.time in instants


def completed_in(name: str) -> HudiInstant | None:
    """The completed instant that a file of this name stands for."""
    instant = instant_in(name)
    return instant if instant is not None and instant.is_completed else None

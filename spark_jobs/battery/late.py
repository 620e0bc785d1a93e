"""Gives instants that complete late a later time of completion: from table version 8 on it is in their file's name.

Hudi completes such an instant before the next one, and stages that are kept in between lack its file. Where a stage
shows it at last, it completes a millisecond after everything that the stage before shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

from spark_jobs.battery.timeline import completed_in

TIMELINE = ".hoodie/timeline"
DIGITS = 17
"""Of a time on the timeline: year to millisecond."""


def complete_late(stages: Sequence[Path]) -> None:
    """Renames the files of late instants. `stages` are those of one table, in order."""
    renamed: dict[str, str] = {}
    shown: set[str] = set()
    last = ""
    for stage in stages:
        completed = {path.name for path in (stage / TIMELINE).glob("*_*") if completed_in(path.name)}
        late = {name for name in completed - shown if completion(name) <= last}
        renamed |= {name: name.replace(completion(name), after(last)) for name in late}
        for name in completed & renamed.keys():
            (stage / TIMELINE / name).rename(stage / TIMELINE / renamed[name])
        shown |= completed
        last = max((completion(renamed.get(name, name)) for name in completed), default="")


def completion(name: str) -> str:
    return name.partition(".")[0].partition("_")[2]


def after(time: str) -> str:
    """A millisecond later."""
    later = datetime.strptime(time, "%Y%m%d%H%M%S%f") + timedelta(milliseconds=1)
    return later.strftime("%Y%m%d%H%M%S%f")[:DIGITS]

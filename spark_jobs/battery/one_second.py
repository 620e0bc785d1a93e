"""Moves all commits of a Hudi table of version 6 into one second: only milliseconds tell their instants apart.

An instant is in the names of its files on the timeline, of the data files that it wrote, and in their JSON. Within data
files only Hudi's own column `_hoodie_commit_time` has it too, which stays as it was written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from spark_jobs.battery.timeline import completed

SECOND = "%Y%m%d%H%M%S"
DIGITS = len("20240102030405")


def share_a_second(stages: Sequence[Path]) -> None:
    """Renames the instants of a table, whose stages these are, in order: the second before the first one holds all."""
    renamed = in_the_second_before(sorted(completed(stages[-1])))
    for stage in stages:
        for path in sorted(path for path in stage.rglob("*") if path.is_file()):
            if path.suffix != ".parquet":
                path.write_bytes(replaced(path.read_text(encoding="utf-8"), renamed).encode())
            path.rename(path.with_name(replaced(path.name, renamed)))


def in_the_second_before(instants: Sequence[str]) -> dict[str, str]:
    """Each instant, and a new one: a millisecond after that of the one before it. No new one is an old one too."""
    second = datetime.strptime(instants[0][:DIGITS], SECOND) - timedelta(seconds=1)
    return {instant: f"{second.strftime(SECOND)}{number:03d}" for number, instant in enumerate(instants, start=1)}


def replaced(text: str, renamed: Mapping[str, str]) -> str:
    for old, new in renamed.items():
        text = text.replace(old, new)
    return text

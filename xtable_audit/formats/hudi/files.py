"""Live files of a Hudi table: the latest base file of each file group, and log files that it does not include."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from xtable_audit.formats.hudi.timeline import HudiTimeline

BASE = re.compile(r"(?P<group>[^/_]+)_[^/_]+_(?P<time>\d{14,20})\.parquet")
LOG = re.compile(r"\.(?P<group>[^/_]+)_(?P<time>\d{14,20})\.log\.\d+_.*")
END = "~"
"""Sorts after every instant."""


@dataclass(frozen=True)
class HudiFiles:
    """Paths relative to the table."""

    base: tuple[str, ...]
    logs: tuple[str, ...]


def live_files(
    names: Iterable[str], timeline: HudiTimeline, until: str = END, without: Collection[str] = ()
) -> HudiFiles:
    """Of the table's files, those that its state after the instant `until` shows, had `without` not completed.

    File groups that archived instants have replaced and no clean has removed count as live.
    """
    replaced = {
        (part, id)
        for commit in timeline.commits
        if commit.instant.time <= until and commit.instant.time not in without
        for part, ids in commit.replaced.items()
        for id in ids
    }
    base: dict[tuple[str, str], tuple[str, str]] = {}
    logs: list[tuple[tuple[str, str], str, str]] = []
    visible: dict[str, bool] = {}
    for name in names:
        part, _, file = name.rpartition("/")
        found = BASE.fullmatch(file) or LOG.fullmatch(file)
        if found is None or part.startswith(".hoodie") or (part, found["group"]) in replaced:
            continue
        group, time = (part, found["group"]), found["time"]
        if file.startswith("."):
            logs.append((group, time, name))
        elif time <= until and time not in without and visible.setdefault(time, timeline.is_visible(time)):
            base[group] = max(base.get(group, ("", "")), (time, name))
    newest = {group: time for group, (time, _) in base.items()}
    return HudiFiles(
        tuple(sorted(name for _, name in base.values())),
        tuple(name for group, time, name in logs if time >= newest.get(group, "")),
    )

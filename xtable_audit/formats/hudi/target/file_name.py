"""The names of data files on a Hudi table's timeline: those that Hudi wrote, and those of others with Hudi's marker."""

from __future__ import annotations

import re
from dataclasses import dataclass

from xtable_audit.formats.hudi.timeline import BASE

EXTERNAL = re.compile(r"(?P<name>.+)_(?P<time>\d{14,20})_hudiext")
"""Of a file that another writer wrote (ExternalFilePathUtil): its name, and the instant that added it."""


@dataclass(frozen=True)
class DataFileName:
    name: str
    """In its folder."""
    group: str
    """The id of its file group: of another writer's file, its name."""
    time: str
    """The instant that added it."""


def data_file_name(listed: str) -> DataFileName | None:
    """What a name without a folder stands for; None for a log file, or any other."""
    if found := EXTERNAL.fullmatch(listed):
        return DataFileName(found["name"], found["name"], found["time"])
    if found := BASE.fullmatch(listed):
        return DataFileName(listed, found["group"], found["time"])
    return None

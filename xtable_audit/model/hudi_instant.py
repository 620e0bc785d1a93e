"""A Hudi table as of one instant, by the address of that instant's file on the timeline."""

from __future__ import annotations

import re
from typing import NamedTuple

FOLDER = ".hoodie"
"""The folder of the timeline, below the table's root."""
INSTANT = re.compile(
    rf"(?P<root>.+)/(?P<name>{re.escape(FOLDER)}/(?:timeline/)?(?P<time>\d{{14,20}})(?:_\d{{14,20}})?\.[a-z]+)"
)


class HudiInstantFile(NamedTuple):
    root: str
    """The table's folder."""
    name: str
    """Of the completed instant's file, below the table: `.hoodie/20260101120000000.commit`."""

    @property
    def location(self) -> str:
        return f"{self.root}/{self.name}"

    @property
    def time(self) -> str:
        """The instant."""
        return _parsed(self.location)["time"]


def is_hudi_instant(location: str) -> bool:
    """Whether it is the address of a completed instant on a Hudi table's timeline."""
    return INSTANT.fullmatch(location) is not None


def hudi_instant(location: str) -> HudiInstantFile:
    """The instant that `<root>/.hoodie/<time>.<action>` names. Raises ValueError for any other location."""
    named = _parsed(location)
    return HudiInstantFile(named["root"], named["name"])


def _parsed(location: str) -> re.Match[str]:
    named = INSTANT.fullmatch(location)
    if named is None:
        raise ValueError(f"{location} is no completed instant in a folder {FOLDER}/")
    return named

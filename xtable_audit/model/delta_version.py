"""A Delta table at one version, by the address of that version's commit."""

from __future__ import annotations

import re
from typing import NamedTuple

LOG = "_delta_log"
"""The folder of the log, below the table's root."""
COMMIT = re.compile(rf"(?P<root>.+)/{LOG}/(?P<version>\d{{20}})\.json")


class DeltaVersion(NamedTuple):
    root: str
    """The table's folder."""
    version: int

    @property
    def location(self) -> str:
        """The address of its commit, whether or not that file was cleaned up."""
        return f"{self.root}/{LOG}/{self.version:020}.json"

    @property
    def before(self) -> DeltaVersion | None:
        return DeltaVersion(self.root, self.version - 1) if self.version else None


def is_delta_version(location: str) -> bool:
    """Whether it is the address of a commit in a Delta log."""
    return COMMIT.fullmatch(location) is not None


def delta_version(location: str) -> DeltaVersion:
    """The version that `<root>/_delta_log/<20 digits>.json` names. The file may be cleaned up.

    Raises ValueError for any other location.
    """
    named = COMMIT.fullmatch(location)
    if named is None:
        raise ValueError(f"{location} is no commit in a folder {LOG}/")
    return DeltaVersion(named["root"], int(named["version"]))

"""A Delta table at one version, by the address of that version's commit."""

from __future__ import annotations

import re
from typing import NamedTuple

_COMMIT = re.compile(r"(?P<root>.+)/_delta_log/(?P<version>\d{20})\.json")


class DeltaVersion(NamedTuple):
    root: str
    """The table's folder."""
    version: int

    @property
    def location(self) -> str:
        """The address of its commit."""
        return f"{self.root}/_delta_log/{self.version:020}.json"

    @property
    def before(self) -> DeltaVersion | None:
        return DeltaVersion(self.root, self.version - 1) if self.version else None


def delta_version(metadata_location: str) -> DeltaVersion:
    """The version that `<root>/_delta_log/<20 digits>.json` names. The file may be cleaned up.

    Raises ValueError for any other location.
    """
    named = _COMMIT.fullmatch(metadata_location)
    if named is None:
        raise ValueError(f"{metadata_location} is no commit in a folder _delta_log/")
    return DeltaVersion(named["root"], int(named["version"]))

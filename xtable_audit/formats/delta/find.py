"""The newest version of a Delta table below its root, by the files of its log."""

from __future__ import annotations

import re

from xtable_audit.formats.delta.checkpoint import LOG, checkpoints_in
from xtable_audit.formats.folder import TableFolder
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem

COMMIT = re.compile(r"(\d{20})\.json")
LOCATION = re.compile(rf"^(?P<root>.+)/{LOG}/(?P<version>\d{{20}})\.json$")
"""A metadata location: the address of a commit, which names the version also where that file was cleaned up."""


def location_of(root: str, version: int) -> str:
    return f"{root}/{LOG}/{version:020}.json"


def place_in(metadata_location: str) -> tuple[str, int]:
    """The table's root, and the version. Raises ValueError for an address of another form."""
    found = LOCATION.match(metadata_location)
    if found is None:
        raise ValueError(f"{metadata_location} is no address of a commit in {LOG}")
    return found["root"], int(found["version"])


def is_location(address: str) -> bool:
    """Whether it is the metadata location of a Delta table, by its form."""
    return LOCATION.match(address) is not None


def delta_below(objects: Objects, root: str) -> tuple[str, tuple[str, ...]]:
    """The metadata location of the newest version of the table in `root`, and no notes. Raises Problem."""
    folder = _root(root)
    versions = _versions(objects, folder)
    if not versions:
        raise Problem(
            f"{root} is no Delta table: {folder}/{LOG} holds no commit and no checkpoint; name the folder that holds "
            f"{LOG}"
        )
    return location_of(folder, max(versions)), ()


def holds_delta(objects: Objects, root: str) -> bool:
    """Whether the folder holds a Delta table. Raises Unreachable."""
    return bool(_versions(objects, _root(root)))


def _root(folder: str) -> str:
    """The table's root, which the user names or the log in it."""
    return folder.rstrip("/").removesuffix(f"/{LOG}").rstrip("/")


def _versions(objects: Objects, root: str) -> set[int]:
    """The versions that a commit or a complete checkpoint is there of."""
    names = TableFolder(root, objects).names(LOG)
    return {int(found[1]) for name in names if (found := COMMIT.fullmatch(name))} | {*checkpoints_in(names)}

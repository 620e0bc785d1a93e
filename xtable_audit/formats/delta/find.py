"""The newest version of a Delta table below its root, by the files of its log."""

from __future__ import annotations

import re

from xtable_audit.formats.delta.checkpoint import checkpoints_in
from xtable_audit.formats.folder import TableFolder
from xtable_audit.model.delta_version import LOG, DeltaVersion
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem

COMMIT = re.compile(r"(\d{20})\.json")


def delta_below(objects: Objects, root: str) -> tuple[str, tuple[str, ...]]:
    """The metadata location of the newest version of the table in `root`, and no notes. Raises Problem."""
    folder = _root(root)
    versions = _versions(objects, folder)
    if not versions and not TableFolder(folder, objects).exists():
        raise Problem(f"there is no folder {root}")
    if not versions:
        raise Problem(
            f"{root} is no Delta table: {folder}/{LOG} holds no commit and no checkpoint; name the folder that holds "
            f"{LOG}"
        )
    return DeltaVersion(folder, max(versions)).location, ()


def _root(folder: str) -> str:
    """The table's root, which the user names or the log in it."""
    return folder.rstrip("/").removesuffix(f"/{LOG}").rstrip("/")


def _versions(objects: Objects, root: str) -> set[int]:
    """The versions that a commit or a complete checkpoint is there of."""
    names = TableFolder(root, objects).names(LOG)
    return {int(found[1]) for name in names if (found := COMMIT.fullmatch(name))} | {*checkpoints_in(names)}

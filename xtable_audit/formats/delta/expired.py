"""Whether an earlier version of a Delta table is gone, as a clean-up of the log removes it."""

from __future__ import annotations

from contextlib import suppress

from xtable_audit.formats.delta.log import LogFiles
from xtable_audit.formats.folder import TableFolder
from xtable_audit.model.delta_version import delta_version
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem


def is_expired(objects: Objects, newest: str, metadata_location: str) -> bool:
    """Whether the log, which still has the newest version, begins after the one that a sync left."""
    left = delta_version(metadata_location)
    with suppress(Problem):
        files = LogFiles.of(TableFolder(left.root, objects))
        return left.version < files.oldest <= delta_version(newest).version
    return False

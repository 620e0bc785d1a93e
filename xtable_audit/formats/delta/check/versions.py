"""The version of a Delta table that the user chooses, and versions beside the judged one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime

import numpy as np

from xtable_audit.formats.check_support import Chosen, in_iso
from xtable_audit.formats.delta.actions import Action, ProtocolAction
from xtable_audit.formats.delta.log import LogFiles, read_log
from xtable_audit.formats.delta.state import delta_below
from xtable_audit.formats.delta.stored import read_delta
from xtable_audit.formats.delta.table import delta_of
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.source import Undetermined
from xtable_audit.model.delta_version import DeltaVersion, delta_version
from xtable_audit.model.figures import few
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem
from xtable_audit.model.scalars import Mask
from xtable_audit.table.stored_metrics import StoredMetrics

NEWEST = 3
"""The reader version from which on the features are named."""
READ = frozenset(
    {
        *("columnMapping", "deletionVectors", "timestampNtz", "v2Checkpoint", "vacuumProtocolCheck"),
        *("variantType", "variantType-preview", "variantShredding-preview"),
    }
)
"""Features of tables that can be judged. Columns of type variant are set aside."""


def demand_known_features(protocol: ProtocolAction | None) -> None:
    """Raises Problem for a table that says things in ways that are not read: what would be judged is another table."""
    if protocol is None:
        return
    if protocol.min_reader_version > NEWEST:
        raise Problem(
            f"the table asks for readers of version {protocol.min_reader_version} of Delta's protocol, and is read by "
            f"versions up to {NEWEST}"
        )
    if unknown := sorted({*(protocol.reader_features or ())} - READ):
        noun = "feature" if len(unknown) == 1 else "features"
        raise Problem(f"the table asks its readers for the {noun} {few(unknown, 5)}, which cannot be judged here")


TOGETHER = 8
"""Commits that are read at once for their times."""


def read_chosen(objects: Objects, metadata_location: str, chosen: Chosen) -> StoredMetrics:
    """The table after the chosen version. Raises Malformed, and Problem if there is none, or for a feature that is not
    read."""
    stored = read_delta(objects, _chosen(objects, metadata_location, chosen))
    demand_known_features(delta_of(stored).log.protocol)
    return stored


def _chosen(objects: Objects, metadata_location: str, chosen: Chosen) -> str:
    """The metadata location of the chosen version."""
    if chosen == Chosen():
        return metadata_location
    if chosen.reference is not None:
        raise Problem("--branch: a Delta table has neither branches nor tags; --snapshot VERSION judges one version")
    root = delta_version(metadata_location).root
    files = LogFiles.of(TableFolder(root, objects))
    if chosen.as_of is not None:
        version = _version_at(files, chosen.as_of)
    else:
        assert chosen.snapshot is not None
        version = _known(files, chosen.snapshot)
    return DeltaVersion(root, version).location


def _known(files: LogFiles, version: int) -> int:
    """The version, if the log may still tell of it. Raises Problem."""
    if version > files.newest or version < 0:
        raise Problem(f"the table has no version {version}; its newest is {files.newest}")
    if version < files.oldest:
        raise Problem(
            f"the table's log begins at version {files.oldest}: what version {version} was, nothing says any more"
        )
    return version


def _version_at(files: LogFiles, moment: datetime) -> int:
    """The newest version that was committed until then. Raises Problem if the log has none."""
    until, committed = int(moment.timestamp() * 1000), None
    for version, actions in _backwards(files):
        committed = _committed(actions)
        if committed is None:
            raise Problem(f"--as-of: version {version} does not say when it was committed; name one by --snapshot")
        if committed <= until:
            return _known(files, version)
    first = f"; its log begins at {in_iso(committed)}" if committed is not None else ""
    raise Problem(f"the table had no version at {moment.isoformat()}{first}")


def _backwards(files: LogFiles) -> Iterator[tuple[int, list[Action]]]:
    versions = sorted(files.commits, reverse=True)
    for begin in range(0, len(versions), TOGETHER):
        some = versions[begin : begin + TOGETHER]
        yield from zip(some, files.read(some), strict=True)


def _committed(actions: list[Action]) -> int | None:
    """When the commit was made, in milliseconds, by its own account."""
    for info in (action.commit_info for action in actions if action.commit_info is not None):
        committed = info.get("inCommitTimestamp", info.get("timestamp"))
        return committed if isinstance(committed, int) else None
    return None


def since(objects: Objects, stored: StoredMetrics, older: int) -> Mask:
    """Marks the files that the older version did not have, or had with another deletion vector. Raises Malformed, and
    Problem if there is no such version."""
    table = delta_of(stored)
    folder = TableFolder(table.root, objects)
    try:
        before = read_log(folder, _known(LogFiles.of(folder), older)).adds
    except Undetermined as error:
        raise Problem(f"--since: {error}") from error
    known = {(path, add.vector_id) for path, add in before.items()}
    return np.array([(add.path, add.vector_id) not in known for add in table.adds.values()], dtype=bool)


def moved_on(objects: Objects, metadata_location: str, version: int | None) -> str:
    """Why a missing file accuses no table, in a clause, if there is a later version: a vacuum may have removed it."""
    with suppress(Problem, Malformed):
        judged = delta_version(metadata_location)
        newest = delta_version(delta_below(objects, judged.root)[0]).version
        if newest > (judged.version if version is None else version):
            return f"is gone, and the table has a later version, {newest}: check that one"
    return ""

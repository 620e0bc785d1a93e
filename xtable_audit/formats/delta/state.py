"""A Delta table as it was after a version, by its log."""

from __future__ import annotations

import re
from collections.abc import Collection
from contextlib import suppress
from datetime import datetime

from xtable_audit.formats.delta.log import DeltaLog, LogFiles, read_log
from xtable_audit.formats.delta.schema import GENERATED
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.source import SourceState, Undetermined, UpdatesBeside
from xtable_audit.model.delta_version import delta_version
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem
from xtable_audit.table.synced import Synced


def is_expired(objects: Objects, newest: str, metadata_location: str) -> bool:
    """Whether the log, which still has the newest version, begins after the one that a sync left."""
    left = delta_version(metadata_location)
    with suppress(Problem):
        files = LogFiles.of(TableFolder(left.root, objects))
        return left.version < files.oldest <= delta_version(newest).version
    return False


VERSION = re.compile(r"[0-9]{1,20}")
LOOKED_AT = 1000
"""So many of the newest commits are looked at for the one of a time."""
SLOWEST, UNSURE = 60_000, 2_000
"""Milliseconds in which a commit's file is written, and in which a second commit makes it unsure which was meant."""


def delta_state(folder: TableFolder, synced: Synced, live: Collection[str]) -> SourceState:
    """Raises Problem if the folder holds no Delta log, Malformed, and Undetermined if the log does not determine it.

    `live`, paths of the translation's live files, tells nothing that the log does not.
    """
    files = LogFiles.of(folder)
    named = VERSION.fullmatch(synced.identifier)
    version = int(named[0]) if named else _version_at(files, synced.time)
    log = read_log(folder, version)
    addresses = {folder.address(add.name): add for add in log.adds.values()}
    vectors = {uri: vector for uri, add in addresses.items() if (vector := add.deletion_vector) is not None}
    absolute = (one.path_or_inline_dv for one in vectors.values() if one.storage_type == "p")
    return SourceState(
        format="delta",
        at=str(version),
        newest=str(files.newest),
        later=files.newest - version,
        files={uri: add.size for uri, add in addresses.items()},
        columns=tuple(one.path for one in log.metadata.columns),
        partition_by=log.metadata.partition_by,
        beside={uri: UpdatesBeside("its deletion vector", 0, one.cardinality or 0) for uri, one in vectors.items()},
        outside=tuple(uri for uri in (*addresses, *absolute) if not folder.holds(uri)),
        spec=None if _has_generated_partition(log) else "",
    )


def _has_generated_partition(log: DeltaLog) -> bool:
    """Whether a partition column is made from another: XTable then partitions by that one's transform."""
    partitions = {(name,) for name in log.metadata.partition_by}
    return any(one.names in partitions and GENERATED in one.metadata for one in log.metadata.columns)


def _version_at(files: LogFiles, time: datetime) -> int:
    """The version whose file was written at that time, by the time in its `commitInfo`, which is a little earlier.

    XTable before 0.3.0 keeps the time alone, on S3 to the second. Raises Undetermined if it may be of several versions.
    """
    last = int(time.timestamp() * 1000) + (0 if time.microsecond else 999)
    near: list[tuple[int, int]] = []
    for version in sorted(files.commits, reverse=True)[:LOOKED_AT]:
        committed = _committed(files, version)
        if committed is not None and last - SLOWEST <= committed <= last:
            near.append((version, committed))
        elif committed is not None and committed < last:
            break
    if not near or (len(near) > 1 and near[1][1] > last - UNSURE):
        raise Undetermined(
            f"the table says that it was synced to the version of {time.isoformat()}, and not which that is"
        )
    return near[0][0]


def _committed(files: LogFiles, version: int) -> int | None:
    """The time of a commit in milliseconds, by its own account."""
    [actions] = files.read([version])
    for info in (action.commit_info for action in actions if action.commit_info is not None):
        committed = info.get("inCommitTimestamp", info.get("timestamp"))
        return committed if isinstance(committed, int) else None
    return None

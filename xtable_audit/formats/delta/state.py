"""A Delta table as a source: its newest version, its state after a version, by its log, and its rows, by delta-rs."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
from pyarrow import fs

from xtable_audit.formats.delta.checkpoint import checkpoints_in
from xtable_audit.formats.delta.log import DeltaLog, LogFiles, read_log
from xtable_audit.formats.delta.schema import GENERATED, MODE
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.source import NotCompared, SourceState, Undetermined, UpdatesBeside
from xtable_audit.model.delta_version import LOG, DeltaVersion, delta_version
from xtable_audit.model.malformed import first_line
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem
from xtable_audit.model.scalars import without_views
from xtable_audit.table.synced import Synced

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


LIBRARY = "delta-rs"
ALONE = f"{LIBRARY} reads such a table as a whole alone"


def delta_rows(
    folder: TableFolder, state: SourceState, uri: str, options: Mapping[str, str], only: Collection[str] | None
) -> pa.Table:
    """Raises NotCompared if the library cannot read some files alone, and whatever it raises."""
    from deltalake import DeltaTable, QueryBuilder  # late: an extra

    table = DeltaTable(uri, version=int(state.at), storage_options=dict(options) or None)
    if only is None:
        rows = pa.table(QueryBuilder().register("source", table).execute("select * from source").read_all())
    else:
        rows = _of_files(table, {folder.uri(unquote(folder.name(name))) for name in only}, folder)
    return without_views(rows)


def _of_files(table: Any, only: Collection[str], folder: TableFolder) -> pa.Table:
    """The rows of these files alone, which delta-rs reads by Arrow."""
    from deltalake.exceptions import DeltaProtocolError
    from pyarrow import dataset

    if table.metadata().configuration.get(MODE, "none") != "none":
        raise NotCompared(f"{ALONE} ({MODE})")
    try:
        # Not delta-rs's own, which is Python's: the process may abort as it ends (apache/arrow#34314).
        place = fs.SubTreeFileSystem(folder.objects.path(folder.root), folder.objects.filesystem)
        every = table.to_pyarrow_dataset(filesystem=place)
    except DeltaProtocolError as error:  # deletion vectors
        raise NotCompared(f"{ALONE} ({first_line(error)})") from error
    mine = [one for one in every.get_fragments() if folder.uri(unquote(one.path)) in only]
    if len(mine) != len(only):
        raise NotCompared(f"{LIBRARY} names some of these files otherwise")
    some = dataset.FileSystemDataset(mine, every.schema, every.format, every.filesystem)
    return some.to_table()

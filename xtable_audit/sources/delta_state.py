"""A Delta table as it was after a version, by its log."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import unquote

from xtable_audit.metadata.synced import Synced
from xtable_audit.model.problem import Problem
from xtable_audit.sources.delta_log import LOG, Log, listed, read_log
from xtable_audit.sources.schemas import delta_paths
from xtable_audit.sources.state import Beside, SourceState
from xtable_audit.sources.storage import Folder
from xtable_audit.sources.undetermined import Undetermined

VERSION = re.compile(r"[0-9]{1,20}")
GENERATED = "delta.generationExpression"
LOOKED_AT = 1000
"""So many of the newest commits are looked at for the one of a time."""
SLOWEST, UNSURE = 60_000, 2_000
"""Milliseconds in which a commit's file is written, and in which a second commit makes it unsure which was meant."""


def delta_state(folder: Folder, synced: Synced, live: Collection[str]) -> SourceState:
    """Raises Problem if the folder holds no Delta log, Undetermined if the log does not determine its state then.

    `live`, paths of the translation's live files, tells nothing that the log does not.
    """
    commits, checkpoints = listed(folder)
    newest = max(commits.keys() | checkpoints.keys())
    named = VERSION.fullmatch(synced.identifier)
    version = int(named[0]) if named else _version_at(folder, commits, synced.time)
    log = read_log(folder, version)
    schema = _schema(folder, log)
    files = {_address(folder, path): _size(add) for path, add in log.adds.items()}
    return SourceState(
        format="delta",
        at=str(version),
        newest=str(newest),
        later=newest - version,
        files=files,
        columns=tuple(delta_paths(schema)),
        partition_by=log.partition_columns,
        beside={
            _address(folder, path): Beside("its deletion vector", 0, _cardinality(vector))
            for path, add in log.adds.items()
            if (vector := add.get("deletionVector"))
        },
        outside=tuple(uri for uri in (*files, *_absolute(log)) if not folder.holds(uri)),
        spec=None if _generated(schema, log.partition_columns) else "",
    )


def _address(folder: Folder, path: str) -> str:
    """Of a file that the log names, url-encoded as the protocol has it."""
    name = unquote(path)
    return name if ":/" in name or name.startswith("/") else folder.uri(name)


def _absolute(log: Log) -> list[str]:
    """Addresses of deletion vectors that are not named by their place in the table (Delta protocol, storageType p)."""
    vectors = (add.get("deletionVector") for add in log.adds.values())
    described = (one for one in vectors if isinstance(one, Mapping))
    return [str(one.get("pathOrInlineDv")) for one in described if one.get("storageType") not in ("u", "i")]


def _size(add: Mapping[str, Any]) -> int | None:
    size = add.get("size")
    return size if isinstance(size, int) else None


def _cardinality(vector: Any) -> int:
    rows = vector.get("cardinality") if isinstance(vector, Mapping) else None
    return rows if isinstance(rows, int) else 0


def _schema(folder: Folder, log: Log) -> Any:
    try:
        schema = json.loads(str(log.metadata.get("schemaString") or "{}"))
        delta_paths(schema)
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise Problem(f"{folder.root} has a schema that is not Delta's: {error}") from error
    return schema


def _generated(schema: Any, columns: Collection[str]) -> bool:
    """Whether a partition column is made from another: XTable then partitions by that one's transform."""
    fields = schema.get("fields", ()) if isinstance(schema, Mapping) else ()
    return any(one.get("name") in columns and GENERATED in (one.get("metadata") or {}) for one in fields)


def _version_at(folder: Folder, commits: Mapping[int, str], time: datetime) -> int:
    """The version whose file was written at that time, by the time in its `commitInfo`, which is a little earlier.

    XTable before 0.3.0 keeps the time alone, on S3 to the second. Raises Undetermined if it may be of several versions.
    """
    last = int(time.timestamp() * 1000) + (0 if time.microsecond else 999)
    near = []
    for version in sorted(commits, reverse=True)[:LOOKED_AT]:
        time_of = _committed(folder, commits[version])
        if time_of is not None and last - SLOWEST <= time_of <= last:
            near.append((version, time_of))
        elif time_of is not None and time_of < last:
            break
    if not near or (len(near) > 1 and near[1][1] > last - UNSURE):
        raise Undetermined(
            f"the table says that it was synced to the version of {time.isoformat()}, and not which that is"
        )
    return near[0][0]


def _committed(folder: Folder, name: str) -> int | None:
    """The time of a commit in milliseconds, by its own account."""
    for line in folder.read(f"{LOG}/{name}").splitlines():
        try:
            info = json.loads(line).get("commitInfo")
        except (ValueError, AttributeError, RecursionError):
            continue  # read_log reports it
        if isinstance(info, Mapping):
            committed = info.get("inCommitTimestamp", info.get("timestamp"))
            return committed if isinstance(committed, int) else None
    return None

"""Delta's transaction log: the newest protocol, metaData and live files, and what the commits of JSON tell."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from xtable_audit.model.malformed import first_line
from xtable_audit.model.problem import Problem
from xtable_audit.sources.storage import Folder
from xtable_audit.sources.undetermined import Undetermined

LOG = "_delta_log"
COMMIT = re.compile(r"(\d{20})\.json")
CHECKPOINT = re.compile(r"(\d{20})\.checkpoint(?:\.\d{10}\.(\d{10}))?\.parquet")
MANY = 300
"""A longer log is read from its newest checkpoint on."""
ACTIONS = ("protocol", "metaData", "add", "remove")


@dataclass
class Log:
    """The state after one commit. Actions as parsed JSON."""

    version: int = 0
    protocol: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    adds: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """Path in the log -> the action of each live file."""
    schemas: list[str] = field(default_factory=list)
    """Schemas in order, as JSON, from the first commit that was read on."""
    from_start: bool = True
    """Whether every commit was read, none from a checkpoint."""

    @property
    def settings(self) -> dict[str, str]:
        return {str(name): str(value) for name, value in (self.metadata.get("configuration") or {}).items()}

    @property
    def partition_columns(self) -> tuple[str, ...]:
        return tuple(map(str, self.metadata.get("partitionColumns") or ()))

    def take(self, action: Mapping[str, Any]) -> None:
        """Raises TypeError, AttributeError or KeyError for an action of another shape than the protocol has."""
        for name, value in action.items():
            if name in ACTIONS and value is not None and not isinstance(value, Mapping):
                raise TypeError(f"{name} is {value!r}")
        if action.get("protocol"):
            self.protocol = action["protocol"]
        if action.get("metaData"):
            self.metadata = action["metaData"]
            self.schemas.append(str(self.metadata.get("schemaString") or "{}"))
            _ = self.settings, self.partition_columns  # fails here, where the reason is known
        if action.get("add"):
            self.adds[str(action["add"]["path"])] = action["add"]
        if action.get("remove"):
            self._remove(action["remove"])

    def _remove(self, removed: Mapping[str, Any]) -> None:
        """Takes the file out, unless the same commit adds it with another deletion vector."""
        path = str(removed["path"])
        live = self.adds.get(path)
        if live is not None and _vector(live) == _vector(removed):
            del self.adds[path]


def _vector(action: Mapping[str, Any]) -> Any:
    vector = action.get("deletionVector") or {}
    return vector.get("pathOrInlineDv"), vector.get("offset")


def read_log(folder: Folder, until: int | None = None) -> Log:
    """The state after the newest commit, or after version `until`.

    Raises Problem if the folder has no Delta log, or an unreadable one; Undetermined if the log begins after `until`.
    """
    commits, checkpoints = listed(folder)
    newest = max(commits.keys() | checkpoints.keys())
    last = newest if until is None else until
    if last > newest:
        raise Undetermined(f"the source has no version {last}; its newest is {newest}")
    before = [version for version in checkpoints if version <= last]
    log, first = Log(version=last), 0
    if 0 not in commits and not before:
        begin = min(commits.keys() | checkpoints.keys())
        if until is not None and checkpoints:
            raise Undetermined(f"the source's log begins at version {begin}, after version {until}")
        raise Problem(f"{folder.root}: {LOG} begins at commit {begin} and has no checkpoint that is read")
    if before and (0 not in commits or len(commits) > MANY):
        first = max(before)
        log.from_start = False
        _take(folder, log, (row for name in checkpoints[first] for row in _checkpoint(folder, name)))
    for version in range(first if log.from_start else first + 1, last + 1):
        if version not in commits:
            raise Problem(f"{folder.root}: {LOG} lacks the commit of version {version}")
        _take(folder, log, _commit(folder, commits[version]))
    if not log.metadata:
        raise Problem(f"{folder.root}: {LOG} has no metaData, so there is no schema")
    return log


def listed(folder: Folder) -> tuple[dict[int, str], dict[int, list[str]]]:
    """Commits and complete checkpoints by version: names in the log. Raises Problem if there is none."""
    names = folder.names(LOG)
    commits = {int(found[1]): name for name in names if (found := COMMIT.fullmatch(name))}
    parts: dict[tuple[int, int], list[str]] = {}
    for name in names:
        if found := CHECKPOINT.fullmatch(name):
            parts.setdefault((int(found[1]), int(found[2] or 1)), []).append(name)
    checkpoints = {version: held for (version, of), held in parts.items() if len(held) == of}
    if not commits and not checkpoints:
        raise Problem(
            f"{folder.root} is no Delta table: it has no commit in {LOG}; name the folder that holds {LOG}, or a Hudi "
            f"table as hudi:LOCATION"
        )
    return commits, checkpoints


def _take(folder: Folder, log: Log, actions: Iterable[Any]) -> None:
    try:
        for action in actions:
            log.take(action)
    except (KeyError, TypeError, AttributeError) as error:
        raise Problem(f"{folder.root}: {LOG} has an action that Delta does not know: {first_line(error)}") from error


def _commit(folder: Folder, name: str) -> list[Any]:
    """The actions of one commit, removals first: they concern files of earlier commits."""
    try:
        lines = folder.read(f"{LOG}/{name}").decode("utf-8").splitlines()
        actions = [json.loads(line) for line in lines if line.strip()]
    except (ValueError, RecursionError) as error:
        raise Problem(f"{folder.uri(LOG)}/{name} is not a commit of Delta: {first_line(error)}") from error
    return sorted(actions, key=lambda one: "remove" not in one)


def _checkpoint(folder: Folder, name: str) -> list[Any]:
    """The actions of one part of a checkpoint; maps become dicts."""
    uri = f"{folder.uri(LOG)}/{name}"
    try:
        with folder.objects.open(uri) as stream, pq.ParquetFile(stream) as file:
            there = [column for column in ACTIONS if column in file.schema_arrow.names]
            rows = file.read(columns=there).to_pylist(maps_as_pydicts="lossy")
    except (OSError, pa.ArrowException, ValueError) as error:
        raise Problem(f"{uri} is not a checkpoint that can be read: {first_line(error)}") from error
    return [row for row in rows if any(row.values())]

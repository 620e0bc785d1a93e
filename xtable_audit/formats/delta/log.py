"""Delta's transaction log: the table's state after a version, and the commits before it.

Commits are reconciled as the protocol has it (Action Reconciliation). The listed files decide where the log begins and
ends: `_last_checkpoint` is a hint that no reader needs, and compacted commits repeat what their commits say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from xtable_audit.formats.delta.actions import (
    Action,
    AddAction,
    FileAction,
    MetadataAction,
    ProtocolAction,
    actions_in_lines,
)
from xtable_audit.formats.delta.checkpoint import Checkpoint, checkpoints_in, read_checkpoint
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.source import Undetermined
from xtable_audit.model.delta_version import LOG
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.problem import Problem

COMMIT = re.compile(r"(\d{20})\.json")
MANY = 300
"""A longer log is read from its newest checkpoint on."""
EMPTY = "is empty: a commit has at least one action, and a writer that dies may leave a file without any"


class LacksCommit(Malformed):
    """The log lacks a commit between those that it has."""

    def __init__(self, location: str, version: int) -> None:
        super().__init__(location, f"lacks the commit of version {version}")
        self.args = location, version  # by which it is made anew in another process
        self.version = version


@dataclass(frozen=True)
class LogFiles:
    """The files of a log by version. At least one of either is there."""

    folder: TableFolder
    commits: Mapping[int, str]
    """Names in the log's folder."""
    checkpoints: Mapping[int, Checkpoint]
    """Those that are complete."""

    @classmethod
    def of(cls, folder: TableFolder) -> LogFiles:
        """Raises Problem if there is none."""
        names = folder.names(LOG)
        commits = {int(found[1]): name for name in names if (found := COMMIT.fullmatch(name))}
        checkpoints = checkpoints_in(names)
        if not commits and not checkpoints:
            raise Problem(
                f"{folder.root} is no Delta table: it has no commit in {LOG}; name the folder that holds {LOG}, or a "
                "Hudi table as hudi:LOCATION"
            )
        return cls(folder, commits, checkpoints)

    @property
    def newest(self) -> int:
        return max(self.commits.keys() | self.checkpoints.keys())

    @property
    def oldest(self) -> int:
        """The first version of which the log may still tell the state."""
        return 0 if 0 in self.commits else min(self.checkpoints or self.commits)

    def read(self, versions: Sequence[int]) -> Iterator[list[Action]]:
        """The actions of each of these commits, in the order of its lines. Raises Malformed for a broken or empty
        one.
        """
        for version in versions:
            if version not in self.commits:
                raise LacksCommit(self.folder.uri(LOG), version)
        names = [f"{LOG}/{self.commits[version]}" for version in versions]
        for name, content in zip(names, self.folder.read_all(names), strict=True):
            actions = actions_in_lines(self.folder.uri(name), content)
            if not actions:
                raise Malformed(self.folder.uri(name), EMPTY)
            yield actions

    def malformed(self, reason: str) -> Malformed:
        return Malformed(self.folder.uri(LOG), reason)


@dataclass
class DeltaLog:
    """The state after one version."""

    version: int
    metadata: MetadataAction
    protocol: ProtocolAction | None = None
    adds: dict[str, AddAction] = field(default_factory=dict)
    """Path in the log -> the action of each live file."""
    transactions: dict[str, int] = field(default_factory=dict)
    """Application -> the newest version that it has written."""
    commit_info: Mapping[str, Any] | None = None
    """Of that version's commit; None if it is known from a checkpoint."""
    history: list[MetadataAction] = field(default_factory=list)
    """Every metadata from the first commit that was read on, in order."""
    times: list[int | None] = field(default_factory=list)
    """When each commit that was read began by its writer's clock, in milliseconds, in order; None if it does not say.
    """
    from_start: bool = True
    """Whether every commit was read, none from a checkpoint."""
    files: list[str] = field(default_factory=list)
    """The files that the state was read from, in the log's folder, but for sidecars."""

    commits: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """Path in the log -> the `commitInfo` of the commit that added the file; empty if it is not known."""
    returned: set[str] = field(default_factory=set)
    """Paths in the log that a commit removed and a later one added again, as RESTORE does."""
    gone: set[str] = field(default_factory=set)
    """Paths in the log that a commit has removed, and did not add itself."""

    def take(self, actions: Iterable[Action]) -> None:
        """Takes one commit in, removals first: what it adds is live, in whatever order its lines are."""
        self.commit_info = None
        added: list[str] = []
        removed: list[str] = []
        for action in sorted(actions, key=lambda one: one.remove is None):
            self.commit_info = action.commit_info or self.commit_info
            self.protocol = action.protocol or self.protocol
            if action.meta_data is not None:
                self.metadata = action.meta_data
                self.history.append(action.meta_data)
            if action.txn is not None:
                self.transactions[action.txn.app_id] = action.txn.version
            if action.remove is not None:
                self._remove(action.remove)
                removed.append(action.remove.path)
            if action.add is not None:
                self.adds[action.add.path] = action.add
                added.append(action.add.path)
        self.commits |= dict.fromkeys(added, self.commit_info or {})
        self.returned |= self.gone.intersection(added)
        self.gone |= {*removed} - {*added}

    def _remove(self, removed: FileAction) -> None:
        """Takes the file out, unless it is live with another deletion vector."""
        live = self.adds.get(removed.path)
        if live is not None and live.vector_id == removed.vector_id:
            del self.adds[removed.path]


NOTHING = MetadataAction.model_construct(schema_string="")


def read_log(folder: TableFolder, until: int | None = None) -> DeltaLog:
    """The state after the newest commit, or after version `until`.

    Raises Problem if the folder has no Delta log, Malformed for one that cannot be read, Undetermined if it begins
    after `until` or ends before.
    """
    files = LogFiles.of(folder)
    last = files.newest if until is None else until
    if last > files.newest:
        raise Undetermined(f"the source has no version {last}; its newest is {files.newest}")
    log, first = DeltaLog(last, NOTHING), 0
    checkpoint = _checkpoint(files, last, until)
    if checkpoint is not None:
        log.from_start, first = False, checkpoint + 1
        log.take(read_checkpoint(folder, files.checkpoints[checkpoint]))
        log.files += files.checkpoints[checkpoint].names
    log.files += (files.commits[version] for version in range(first, last + 1) if version in files.commits)
    for actions in files.read(range(first, last + 1)):
        log.take(actions)
        time = (log.commit_info or {}).get("timestamp")
        log.times.append(time if isinstance(time, int) else None)
    if log.metadata is NOTHING:
        raise files.malformed("has no metaData, so there is no schema")
    return log


def _checkpoint(files: LogFiles, last: int, until: int | None) -> int | None:
    """The version of the checkpoint that the state begins with; None if every commit is read."""
    before = [version for version in files.checkpoints if version <= last]
    if 0 in files.commits and len(files.commits) <= MANY and (not before or _is_whole(files, last)):
        return None
    if before:
        return max(before)
    if 0 in files.commits:
        return None
    begin = min(files.commits.keys() | files.checkpoints.keys())
    if until is not None and files.checkpoints:
        raise Undetermined(f"the source's log begins at version {begin}, after version {until}")
    raise files.malformed(f"begins at commit {begin} and has no checkpoint that is read")


def _is_whole(files: LogFiles, last: int) -> bool:
    return all(version in files.commits for version in range(last + 1))

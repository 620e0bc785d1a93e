"""The outcome of a sync, judged from the metadata in the table, never from an exit code."""

from __future__ import annotations

from xtable.target import Target
from xtable.writer import ICEBERG, Writer


class SyncFailed(Exception):
    """A sync that did not do its work, in XTable's own words. `log` is what it logged, `result` what it returned.

    `silent`: it did not report the failure itself, but something else or nothing.
    """

    def __init__(
        self, name: str, release: str, words: str, *, log: str = "", result: str = "", silent: bool = False
    ) -> None:
        super().__init__(f"XTable {release} did not translate {name}: {words}")
        self.name = name
        self.release = release
        self.words = words
        self.log = log
        self.result = result
        self.silent = silent


class SyncTimedOut(SyncFailed):
    """A sync that did not end within its time limit, so that its JVM was killed."""


def came_through(before: Target | None, after: Target | None) -> Target | None:
    """The target where a sync wrote a new snapshot and its note, else None."""
    if after is None or after.snapshot is None or after.synced is None:
        return None
    if before is not None and (after.version <= before.version or after.snapshot == before.snapshot):
        return None
    return after


def what_is_there(before: Target | None, after: Target | None, writer: Writer = ICEBERG) -> str:
    """In words, for a sync that reported nothing more."""
    metadata = f"{writer.target.capitalize()} metadata"
    if after is None:
        return f"no {metadata} was written"
    if before is not None and after.version == before.version:
        return f"the {metadata} stayed at {after.metadata_location}"
    if after.snapshot is None:
        return f"{after.metadata_location} was written without a snapshot"
    return f"{after.metadata_location} was written without XTABLE_METADATA or without a new snapshot"

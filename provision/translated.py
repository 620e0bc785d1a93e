"""What a translator left of a dataset: its metadata, or why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from xtable_audit.model.sync import Sync


@dataclass(frozen=True)
class Translated:
    """A dataset's metadata: its location, what wrote it, XTable's log of the sync.

    `failure` is the translator's error if there is no metadata. `syncs` are all syncs of the table's history.
    """

    metadata_location: str
    versions: dict[str, str]
    log: str = ""
    failure: str | None = None
    syncs: tuple[Sync, ...] = ()
    stats: Path | None = None
    """The file with the source's own statistics."""
    in_store: bool = False
    """Whether XTable reached the table in the store, not mounted on this disk."""
    silent: bool = False
    """Whether the sync that failed did not report it."""
    exceptions: frozenset[str] = frozenset()
    """The exceptions that the failure names."""
    prefix: str = ""
    """The key below which the whole table is shown, if that is not where its source is shown."""

    @property
    def newest(self) -> str:
        """The metadata location of the last sync that left one."""
        locations = (sync.metadata_location for sync in reversed(self.syncs) if sync.metadata_location)
        return next(locations, self.metadata_location)

    @classmethod
    def after(
        cls, syncs: Sequence[Sync], versions: dict[str, str], stats: Path | None = None, *, in_store: bool = False
    ) -> Translated:
        """What users have: the metadata of the last sync that is neither idle nor full."""
        last = [sync for sync in syncs if sync.kind in ("first", "incremental")][-1]
        failure = None if last.metadata_location else last.failure
        kept = stats if stats and stats.is_file() else None
        silent = failure is not None and last.silent
        named = last.exceptions if failure is not None else frozenset[str]()
        return cls(last.metadata_location, versions, last.log, failure, tuple(syncs), kept, in_store, silent, named)

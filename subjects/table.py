"""A table under audit, ready for claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from xtable_audit.blame.source_stats import SourceStats
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.sync import Sync
from xtable_audit.subject.case import Case
from xtable_audit.subject.subject import Subject


@dataclass(frozen=True)
class Table:
    """A subject with its case. `case` is None if it cannot be read."""

    subject: Subject
    mode: Literal["live", "recorded"]
    case: Case | None
    unreadable: str | None
    """Why it cannot be judged, in one sentence: the release failed on it, or one of its files is malformed."""
    malformed: Malformed | None = None
    """The file because of which it cannot be judged; None if there is no metadata."""
    log: str = ""
    """XTable's log of the sync."""
    prefix: str = ""
    """The source's prefix in the bucket."""
    in_store: bool = True
    """Whether it is in the store from the beginning; if not, on this disk, until a reader is asked."""
    syncs: tuple[Sync, ...] = ()
    """The syncs that made it, also if the table cannot be judged."""
    stats: SourceStats | None = None
    """The source's own statistics of its files; None if they were not read."""
    silent: bool = False
    """Whether the sync that failed on it did not report the failure itself."""
    exceptions: frozenset[str] = frozenset()
    """The exceptions that the sync that failed on it names."""

    @property
    def id(self) -> str:
        return str(self.subject.id)

    @property
    def dataset(self) -> str:
        return self.subject.id.dataset

    @property
    def translator(self) -> str:
        return self.subject.id.translator

    @property
    def metadata_location(self) -> str:
        return self.subject.metadata_location

    @property
    def versions(self) -> Mapping[str, str]:
        return self.subject.versions

"""Tables that a run can audit: offered before they are built, in groups, and under audit, ready for claims."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from xtable_audit.blame.source_stats import SourceStats
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.objects import Objects
from xtable_audit.model.subject_id import ICEBERG, SubjectId
from xtable_audit.model.sync import Sync
from xtable_audit.subject.case import Case

OWN_INDEXES = "hudi"
"""The metadata under audit of Hudi's laboratory: its own indexes."""


@dataclass(frozen=True)
class Offer:
    """A table that a provider can make available."""

    id: SubjectId
    family: str
    """The tables that it belongs with, in one word: `published`, `types`, `history`, …"""
    entry: Any = None
    """What the provider builds it from: a recipe, an entry of the battery, or a dataset and a release of Hudi."""
    metadata: str = ICEBERG
    """The format of the metadata under audit: a translation's, the table's own, or OWN_INDEXES."""
    control: SubjectId | None = None
    """The same files under the metadata of another translator, which helps to decide blame."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Versions of what writes the table, where they differ from the run's."""


@dataclass(frozen=True)
class Group:
    """The tables that a claim is checked on, chosen by their offers."""

    words: str
    """Completes the sentence "there is no table that …"."""
    has: Callable[[Offer], bool]

    def __or__(self, other: Group) -> Group:
        return Group(f"{self.words}, or {other.words}", lambda offer: self.has(offer) or other.has(offer))


@dataclass(frozen=True)
class Table:
    """A table of the run, where its metadata is, and its case. `case` is None if it cannot be read."""

    offer: Offer
    objects: Objects = field(repr=False)
    """Read-only access to its metadata and data files."""
    metadata_location: str
    mode: Literal["live", "recorded"]
    case: Case | None = None
    unreadable: str | None = None
    """Why it cannot be judged, in one sentence: the release failed on it, or one of its files is malformed."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Versions of what wrote it: spark, hudi, iceberg, xtable, pyiceberg, as they apply."""
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
        return str(self.offer.id)

    @property
    def dataset(self) -> str:
        return self.offer.id.dataset

    @property
    def translator(self) -> str:
        return self.offer.id.translator

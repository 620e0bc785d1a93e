"""One sync of a table: one run of a translator over it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["first", "incremental", "idle", "full"]
"""`idle` is one more incremental sync without news, `full` one at the end with SyncMode.FULL."""


@dataclass(frozen=True)
class Sync:
    """How a sync went, judged from the metadata in the table, never from an exit code."""

    kind: Kind
    release: str
    metadata_location: str
    """The newest metadata.json with a snapshot afterwards, "" where there is none."""
    failure: str | None = None
    """The translator's own words where it said that it failed."""
    log: str = ""
    """What the translator logged meanwhile."""
    seconds: float = 0.0
    """Wall time; 0 where it failed."""
    result: str = ""
    """The translator's own result, "" where its interface gives none."""
    stage: int = 0
    """Place of the source's stage that was translated."""

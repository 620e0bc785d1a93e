"""Which state of a table is judged: the current one, an older one, or a branch or tag."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Chosen:
    """At most one field is set; none is for the current state."""

    snapshot: int | None = None
    """The id of a snapshot, or what the format has instead: Delta's version."""
    as_of: datetime | None = None
    reference: str | None = None
    """A branch or a tag."""

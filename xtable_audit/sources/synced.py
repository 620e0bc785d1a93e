"""Up to where XTable has translated its source, by what it left in the table's properties and snapshots."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyiceberg.table.metadata import TableMetadata

PROPERTY = "XTABLE_METADATA"


@dataclass(frozen=True)
class Synced:
    """The commit of the source that was translated last."""

    time: datetime
    """Of its instant; of a Delta version, when its file was written, perhaps to the second."""
    identifier: str = ""
    """Hudi's instant or Delta's version; "" before XTable 0.3.0."""
    pending: tuple[datetime, ...] = ()
    """Instants that were in flight then."""
    format: str = ""
    """hudi, delta, …; "" before XTable 0.3.0."""


def synced_of(metadata: TableMetadata) -> Synced | None:
    """What the current snapshot's summary says, else the table's property if that snapshot is the newest; or None."""
    current = metadata.current_snapshot()
    told = ""
    if current is not None and current.summary is not None:
        told = current.summary.additional_properties.get(PROPERTY, "")
    newest = max((one.timestamp_ms for one in metadata.snapshots), default=0)
    if not told and (current is None or current.timestamp_ms == newest):
        told = metadata.properties.get(PROPERTY, "")
    return _parsed(told)


def _parsed(told: str) -> Synced | None:
    try:
        facts = json.loads(told or "null")
        if not isinstance(facts, dict) or not facts.get("lastInstantSynced"):
            return None
        return Synced(
            _time(facts["lastInstantSynced"]),
            str(facts.get("sourceIdentifier") or ""),
            tuple(_time(one) for one in facts.get("instantsToConsiderForNextSync") or ()),
            str(facts.get("sourceTableFormat") or "").lower(),
        )
    except (ValueError, TypeError, OverflowError, RecursionError):
        return None


def _time(text: Any) -> datetime:
    time = datetime.fromisoformat(str(text))
    return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)

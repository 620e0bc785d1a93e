"""What XTable leaves of its last sync in a table's properties, as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

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


def synced_in(content: str) -> Synced | None:
    """What the property's content says; None if it names no time."""
    facts = _facts(content)
    if not facts.get("lastInstantSynced"):
        return None
    try:
        return Synced(
            _time(facts["lastInstantSynced"]),
            str(facts.get("sourceIdentifier") or ""),
            tuple(_time(one) for one in facts.get("instantsToConsiderForNextSync") or ()),
            source_format(content),
        )
    except (ValueError, TypeError, OverflowError):
        return None


def source_format(content: str) -> str:
    """hudi, delta, … by the property's content; "" if it does not say."""
    return str(_facts(content).get("sourceTableFormat") or "").lower()


def _facts(content: str) -> Mapping[str, Any]:
    try:
        facts = json.loads(content or "null")
    except (ValueError, RecursionError):
        return {}
    return facts if isinstance(facts, dict) else {}


def _time(text: Any) -> datetime:
    time = datetime.fromisoformat(str(text))
    return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)

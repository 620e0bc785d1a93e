"""Where XTable leaves its last sync in an Iceberg table: the table's property, and each snapshot's summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xtable_audit.table.synced import PROPERTY, Synced, synced_in

if TYPE_CHECKING:
    from pyiceberg.table.metadata import TableMetadata


def synced_of(metadata: TableMetadata) -> Synced | None:
    """What the current snapshot's summary says, else the table's property if that snapshot is the newest; or None."""
    current = metadata.current_snapshot()
    content = ""
    if current is not None and current.summary is not None:
        content = current.summary.additional_properties.get(PROPERTY, "")
    newest = max((one.timestamp_ms for one in metadata.snapshots), default=0)
    if not content and (current is None or current.timestamp_ms == newest):
        content = metadata.properties.get(PROPERTY, "")
    return synced_in(content)

"""Whether an earlier state of an Iceberg table is gone, as a policy of retention removes it."""

from __future__ import annotations

from xtable_audit.formats.iceberg.stored_metrics import read_metadata
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.objects import Objects


def is_expired(objects: Objects, newest: str, metadata_location: str) -> bool:
    """Whether `metadata_location`, which a sync left, is gone, or its current snapshot not in the newest metadata."""
    try:
        now = read_metadata(objects, newest)
        if objects.size(metadata_location) is None:
            return True
        then = read_metadata(objects, metadata_location)
    except Malformed:
        return False
    return then.current_snapshot_id not in {snapshot.snapshot_id for snapshot in now.snapshots}

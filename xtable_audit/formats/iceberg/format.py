"""Iceberg, as a target."""

from xtable_audit.formats.iceberg.as_planned import as_planned
from xtable_audit.formats.iceberg.beside import read_beside
from xtable_audit.formats.iceberg.find import metadata_below
from xtable_audit.formats.iceberg.stored_metrics import read_metadata, read_stored_metrics
from xtable_audit.formats.iceberg.traps import PLANNERS
from xtable_audit.formats.registered import TableFormat
from xtable_audit.formats.target import Dropped, TargetFormat
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


TARGET = TargetFormat(
    name="iceberg",
    title="Iceberg",
    commit="snapshot",
    reads=lambda location: True,
    read=read_stored_metrics,
    find=metadata_below,
    supports_check="xtable_audit.formats.iceberg.check.support:ICEBERG",
    dropped=Dropped(
        "Iceberg metadata",
        "Delete the table's folder `metadata` (next to `.hoodie` or `_delta_log`), and nothing else.",
        "Older snapshots, tags and branches of the Iceberg table are lost; the source keeps its own history.",
    ),
    folder="metadata",
    read_beside=read_beside,
    is_expired=is_expired,
    as_planned=as_planned,
    planners=PLANNERS,
)
ICEBERG = TableFormat(target=TARGET)

"""The target formats by name, and the one way from a metadata location to stored metrics."""

from __future__ import annotations

from collections.abc import Mapping

from xtable_audit.formats.delta.target import DELTA
from xtable_audit.formats.iceberg.find import holds_iceberg, metadata_below
from xtable_audit.formats.target import TargetFormat
from xtable_audit.metadata.stored_metrics import read_stored_metrics
from xtable_audit.model.objects import Objects
from xtable_audit.table.stored_metrics import StoredMetrics

ICEBERG = TargetFormat(
    name="iceberg",
    title="Iceberg",
    commit="snapshot",
    reads=lambda location: True,
    read=read_stored_metrics,
    find=metadata_below,
    is_at=holds_iceberg,
    supports_check="xtable_audit.formats.iceberg.check.support:ICEBERG",
)
"""Any name may be that of a metadata.json, so it is the last to be asked."""
TARGET_FORMATS: Mapping[str, TargetFormat] = {one.name: one for one in (ICEBERG, DELTA)}


def target_of(metadata_location: str) -> TargetFormat:
    """The format of the table whose metadata is there, by the address."""
    others = (one for one in TARGET_FORMATS.values() if one is not ICEBERG)
    return next((one for one in others if one.reads(metadata_location)), ICEBERG)


def read_stored(objects: Objects, metadata_location: str) -> StoredMetrics:
    """The stored metrics of the table whose metadata is at `metadata_location`, in whichever format. Raises Malformed.

    It is the address of a metadata.json of Iceberg, or of a commit in Delta's log, which names the version also where
    that file was cleaned up.
    """
    return target_of(metadata_location).read(objects, metadata_location)

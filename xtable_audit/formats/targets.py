"""The one way from a metadata location to stored metrics, in whichever format the table is."""

from __future__ import annotations

from xtable_audit.formats.registered import target_formats
from xtable_audit.formats.target import TargetFormat
from xtable_audit.model.objects import Objects
from xtable_audit.table.stored_metrics import StoredMetrics

OF_ANY_ADDRESS = "iceberg"
"""The format of any metadata location that is no other format's: a metadata.json may have any address."""


def target_of(metadata_location: str) -> TargetFormat:
    """The format of the table whose metadata is there, by the address."""
    known = target_formats()
    of_any_address = known.pop(OF_ANY_ADDRESS)
    return next((one for one in known.values() if one.reads(metadata_location)), of_any_address)


def read_stored(objects: Objects, metadata_location: str) -> StoredMetrics:
    """The stored metrics of the table whose metadata is at `metadata_location`, in whichever format. Raises Malformed.

    It is the address of a metadata.json of Iceberg, or of a commit in Delta's log, which names the version also where
    that file was cleaned up.
    """
    return target_of(metadata_location).read(objects, metadata_location)

"""The target formats by name, and the one way from a metadata location to stored metrics."""

from __future__ import annotations

from xtable_audit.formats.registered import DEFAULT, INSTALLED
from xtable_audit.formats.target import TargetFormat
from xtable_audit.model.objects import Objects
from xtable_audit.table.stored_metrics import StoredMetrics


def target_formats() -> dict[str, TargetFormat]:
    """The formats that a translator may write, by name, `DEFAULT` first."""
    return {name: one.target for name, one in INSTALLED.items() if one.target is not None}


def other_formats() -> list[TargetFormat]:
    """Those that a table's folder or address tells by itself."""
    return [one for name, one in target_formats().items() if name != DEFAULT]


def known_claims() -> tuple[str, ...]:
    """The ids of the claims about tables of any format."""
    return tuple(dict.fromkeys(id for target in target_formats().values() for id in target.check.claims))


def metadata_folders() -> tuple[str, ...]:
    """The names of folders that hold a table's metadata, in any format."""
    return tuple(one.folder for one in target_formats().values() if one.folder)


def target_of(metadata_location: str) -> TargetFormat:
    """The format of the table whose metadata is there, by the address."""
    here = (one for one in other_formats() if one.reads(metadata_location))
    return next(here, target_formats()[DEFAULT])


def read_stored(objects: Objects, metadata_location: str) -> StoredMetrics:
    """The stored metrics of the table whose metadata is at `metadata_location`, in whichever format. Raises Malformed.

    It is the address of a metadata.json of Iceberg, or of a commit in Delta's log, which names the version also where
    that file was cleaned up.
    """
    return target_of(metadata_location).read(objects, metadata_location)

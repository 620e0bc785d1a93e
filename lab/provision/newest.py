"""The newest metadata of a table on a run's disk."""

from __future__ import annotations

from lab.store.disk import Disk
from xtable.target import read_target
from xtable_audit.formats.delta.find import delta_below
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem


def newest_iceberg(disk: Disk, prefix: str) -> str:
    """The location of the newest metadata.json under that key. Raises Problem if there is none."""
    location = disk.uri(prefix)
    target = read_target(location, disk)
    if target is None:
        raise Problem(f"There is no Iceberg metadata under {location}/metadata.")
    return target.metadata_location


def newest_delta(disk: Disk, prefix: str) -> str:
    """The location of the newest commit of the Delta table under that key."""
    return delta_below(Objects(disk.filesystem), disk.uri(prefix))[0]

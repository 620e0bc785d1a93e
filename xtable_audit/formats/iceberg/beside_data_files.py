"""What an Iceberg table has beside its data files: delete files, statistics files, and other branches and tags."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xtable_audit.formats.iceberg.delete_contents import DeleteContents, read_delete_files
from xtable_audit.formats.iceberg.iceberg_table import iceberg_of
from xtable_audit.formats.iceberg.statistics import NO_STATISTICS, Statistics, read_statistics
from xtable_audit.model.objects import Objects
from xtable_audit.table.stored_metrics import StoredMetrics

if TYPE_CHECKING:
    from pyiceberg.table.snapshots import Snapshot


@dataclass(frozen=True)
class Reference:
    """A branch or tag, and the manifest list of its snapshot."""

    name: str
    manifest_list: str
    exists: bool


@dataclass(frozen=True)
class Beside:
    """`deletes` has what the live delete files hold, in the order of `stored.deletions.files`."""

    deletes: tuple[DeleteContents, ...] = ()
    statistics: Statistics = NO_STATISTICS
    references: tuple[Reference, ...] = ()
    """Branches and tags of other snapshots than the current one, by name."""


NOTHING_BESIDE = Beside()


def read_beside(objects: Objects, stored: StoredMetrics) -> Beside:
    """Reads them. Raises Malformed if the store fails."""
    table = iceberg_of(stored)
    metadata = table.metadata
    deletes = read_delete_files(objects, stored.deletions.files, metadata.schemas)
    listed = table.statistics, table.partition_statistics
    statistics = read_statistics(objects, *listed, metadata.current_snapshot_id, metadata.partition_specs)
    return Beside(deletes, statistics, tuple(_references(objects, stored)))


def _references(objects: Objects, stored: StoredMetrics) -> Iterator[Reference]:
    for name, snapshot in other_references(stored):
        yield Reference(name, snapshot.manifest_list, objects.size(snapshot.manifest_list) is not None)


def other_references(stored: StoredMetrics) -> list[tuple[str, Snapshot]]:
    """Branches and tags of other snapshots of the table than the current one."""
    metadata = iceberg_of(stored).metadata
    refs = sorted((name, ref.snapshot_id) for name, ref in metadata.refs.items())
    found = ((name, metadata.snapshot_by_id(id)) for name, id in refs if id != metadata.current_snapshot_id)
    return [(name, snapshot) for name, snapshot in found if snapshot is not None]

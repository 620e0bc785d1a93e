"""An Iceberg table as a source: its state after the snapshot that was translated last, by its own metadata."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from functools import partial
from typing import TYPE_CHECKING

from pyiceberg.transforms import IdentityTransform, VoidTransform

from xtable_audit.formats.folder import TableFolder, place_of
from xtable_audit.formats.iceberg.deletes import position_rows
from xtable_audit.formats.iceberg.iceberg_table import iceberg_of
from xtable_audit.formats.iceberg.stored_metrics import read_metadata, read_stored_metrics
from xtable_audit.formats.iceberg.table_json import metadata_below
from xtable_audit.formats.source import SourceState, Undetermined, UpdatesBeside
from xtable_audit.model.figures import many
from xtable_audit.model.malformed import given_up
from xtable_audit.model.objects import Objects
from xtable_audit.table.deletions import EQUALITY, DeleteFile
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.table.synced import Synced

if TYPE_CHECKING:
    from pyiceberg.partitioning import PartitionField
    from pyiceberg.table.metadata import TableMetadata

NO_SNAPSHOT = "0"
"""What XTable notes of a table without a snapshot."""


def iceberg_state(folder: TableFolder, synced: Synced, live: Collection[str]) -> SourceState:
    """`live`, paths of the translation's live files, tells nothing that the manifests do not.

    Raises Problem if the folder holds no Iceberg table, Malformed, and Undetermined if its snapshots do not determine
    its state then.
    """
    del live
    location, _ = metadata_below(folder.objects, folder.root)
    metadata = read_metadata(folder.objects, location)
    at = _synced(metadata, synced)
    stored = stored_at(folder.objects, location, at)
    sizes = folder.sizes("", below=True)
    files = {address: sizes.get(_name(folder, address)) for address in stored.paths}
    return SourceState(
        format="iceberg",
        at=str(at or NO_SNAPSHOT),
        newest=str(metadata.current_snapshot_id or NO_SNAPSHOT),
        later=_later(metadata, at),
        files=files,
        columns=iceberg_of(stored).struct_fields,
        partition_by=_columns(stored),
        beside=dict(_beside(folder.objects, stored)),
        outside=tuple(address for address in files if not _holds(folder, address)),
        spec=_spec(stored),
    )


def stored_at(objects: Objects, location: str, snapshot: int | None) -> StoredMetrics:
    """The table's metrics at that snapshot, by its schema then; None is the state without one."""
    return read_stored_metrics(objects, location, partial(_at, snapshot=snapshot))


def _at(metadata: TableMetadata, snapshot: int | None) -> TableMetadata:
    """A column that is renamed without a commit has its new name at the current snapshot, as readers show it."""
    found = metadata.snapshot_by_id(snapshot) if snapshot is not None else None
    schema = metadata.current_schema_id
    if found is not None and snapshot != metadata.current_snapshot_id and found.schema_id is not None:
        schema = found.schema_id
    return metadata.model_copy(update={"current_snapshot_id": snapshot, "current_schema_id": schema})


def _synced(metadata: TableMetadata, synced: Synced) -> int | None:
    """The snapshot that was translated last; None for the table before its first one.

    Raises Undetermined for one that the table has no more, or that the current one does not come from.
    """
    found = snapshot_synced(metadata, synced)
    if found is not None and found not in history(metadata):
        raise Undetermined(
            f"the table was synced to the snapshot {found}, from which the source's current one, "
            f"{metadata.current_snapshot_id}, does not come: it was rolled back or replaced since, which no "
            "incremental sync undoes"
        )
    return found


def snapshot_synced(metadata: TableMetadata, synced: Synced) -> int | None:
    """The snapshot that was translated last, also if the table was rolled back since; None for the table before its
    first one.

    XTable before 0.3.0 notes its time alone. Raises Undetermined for one that the table has no more.
    """
    if synced.identifier == NO_SNAPSHOT:
        return None
    at = round(synced.time.timestamp() * 1000)
    for one in reversed(metadata.snapshots):
        if str(one.snapshot_id) == synced.identifier or (not synced.identifier and one.timestamp_ms == at):
            return one.snapshot_id
    named = synced.identifier or f"of {synced.time.isoformat(timespec='milliseconds')}"
    raise Undetermined(f"the table was synced to the snapshot {named}, which the source does not have any more")


def history(metadata: TableMetadata) -> list[int]:
    """The current snapshot and those that it comes from, newest first."""
    found: list[int] = []
    here = metadata.current_snapshot_id
    while here is not None and here not in found:
        found.append(here)
        snapshot = metadata.snapshot_by_id(here)
        here = snapshot.parent_snapshot_id if snapshot is not None else None
    return found


def _later(metadata: TableMetadata, at: int | None) -> int:
    known = history(metadata)
    return known.index(at) if at is not None else len(known)


def _name(folder: TableFolder, address: str) -> str:
    return place_of(address).removeprefix(f"{place_of(folder.root)}/")


def _holds(folder: TableFolder, address: str) -> bool:
    return _name(folder, address) != place_of(address)


def _columns(stored: StoredMetrics) -> tuple[str, ...]:
    """The columns that partition it by their own values."""
    names = (_source(stored, field.source_id) for field in _fields(stored) if _is_identity(field.transform))
    return tuple(name for name in names if name)


def _spec(stored: StoredMetrics) -> str:
    """Column and transform of each field; "" if each is a column itself, or there is none."""
    fields = _fields(stored)
    if all(_is_identity(field.transform) for field in fields):
        return ""
    return ",".join(f"{_source(stored, field.source_id)}:{field.transform}" for field in fields)


def _fields(stored: StoredMetrics) -> list[PartitionField]:
    spec = iceberg_of(stored).metadata.spec()
    return [field for field in spec.fields if not isinstance(field.transform, VoidTransform)]


def _is_identity(transform: object) -> bool:
    return isinstance(transform, IdentityTransform)


def _source(stored: StoredMetrics, id: int) -> str:
    return iceberg_of(stored).schema.find_column_name(id) or ""


def _beside(objects: Objects, stored: StoredMetrics) -> Iterator[tuple[str, UpdatesBeside]]:
    """What delete files remove of each data file."""
    applied = dict(stored.deletions.applied.items())
    known = {
        address: deletes
        for address, deletes in applied.items()
        if not any(one.content == EQUALITY or not one.is_known for one in deletes)
    }
    once = {(one.path, one.referenced): one for deletes in known.values() for one in deletes}
    read = objects.each(partial(_positions, objects), [*once.values()], lambda one, error: given_up(one.path, error))
    positions = dict(zip(once, read, strict=True))
    for address, deletes in applied.items():
        if address not in known:
            yield address, UpdatesBeside("its delete files", 0, sum(one.record_count for one in deletes))
            continue
        removed = sum(positions[one.path, one.referenced][address] for one in deletes)
        if removed:
            yield address, UpdatesBeside(f"{many(len(deletes), 'delete file')}", 0, removed)


def _positions(objects: Objects, delete: DeleteFile) -> Counter[str]:
    """How many positions of each data file it removes."""
    if delete.is_vector:
        return Counter({delete.referenced or "": delete.record_count})
    return Counter(position_rows(objects, delete)["file_path"].to_pylist())

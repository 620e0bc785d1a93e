"""The state of an Iceberg table that the user chooses: an older snapshot, or a branch or tag."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from xtable_audit.formats.chosen import Chosen
from xtable_audit.model.figures import few
from xtable_audit.model.problem import Problem

if TYPE_CHECKING:
    from pyiceberg.table.metadata import TableMetadata
    from pyiceberg.table.snapshots import Snapshot

FEW = 5
"""Maximum number of snapshots or references that a message lists."""


def choose(chosen: Chosen, metadata: TableMetadata) -> TableMetadata:
    """The metadata with the chosen snapshot as its current one. Raises Problem if there is none.

    An older snapshot is read by its own schema, the head of a branch by the table's (Iceberg spec, Snapshots).
    """
    if chosen == Chosen():
        return metadata
    snapshot = _snapshot(chosen, metadata)
    refs = {name: ref for name, ref in metadata.refs.items() if name != "main"}
    update: dict[str, object] = {"current_snapshot_id": snapshot.snapshot_id, "refs": refs}
    known = {schema.schema_id for schema in metadata.schemas}
    if not _is_branch(chosen.reference, metadata) and snapshot.schema_id in known:
        update["current_schema_id"] = snapshot.schema_id
    return metadata.model_copy(update=update)


def _is_branch(name: str | None, metadata: TableMetadata) -> bool:
    return name is not None and metadata.refs[name].snapshot_ref_type == "branch"


def _snapshot(chosen: Chosen, metadata: TableMetadata) -> Snapshot:
    if chosen.reference is not None:
        if chosen.reference not in metadata.refs:
            raise Problem(f"the table has no branch or tag {chosen.reference}; it has {_listed(metadata.refs)}")
        return snapshot_with(metadata.refs[chosen.reference].snapshot_id, metadata)
    if chosen.as_of is not None:
        moment = int(chosen.as_of.timestamp() * 1000)
        logged = [entry for entry in metadata.snapshot_log if entry.timestamp_ms <= moment]
        if not logged:
            first = min((one.timestamp_ms for one in metadata.snapshots), default=None)
            since = f"; its first is of {_time(first)}" if first is not None else ""
            raise Problem(f"the table had no snapshot at {chosen.as_of.isoformat()}{since}")
        return snapshot_with(logged[-1].snapshot_id, metadata)
    assert chosen.snapshot is not None
    return snapshot_with(chosen.snapshot, metadata)


def snapshot_with(id: int, metadata: TableMetadata) -> Snapshot:
    """Raises Problem if there is none."""
    found = metadata.snapshot_by_id(id)
    if found is None:
        newest = sorted(metadata.snapshots, key=lambda one: one.timestamp_ms, reverse=True)
        there = _listed(one.snapshot_id for one in newest)
        raise Problem(f"the table has no snapshot {id}; its newest are {there}")
    return found


def _time(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="seconds")


def _listed(names: Iterable[object]) -> str:
    return few([str(one) for one in names], FEW) or "none"

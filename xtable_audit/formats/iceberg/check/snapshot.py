"""States of an Iceberg table: the one that the user chooses, and older and newer ones beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from xtable_audit.formats.check_support import Chosen, in_iso
from xtable_audit.formats.iceberg.iceberg_table import iceberg_of
from xtable_audit.formats.iceberg.manifests import DATA, read_manifest, read_manifest_list
from xtable_audit.formats.iceberg.table_json import newest_in, read_table_json
from xtable_audit.model.figures import few
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem
from xtable_audit.model.scalars import Mask
from xtable_audit.table.stored_metrics import StoredMetrics

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
            since = f"; its first is of {in_iso(first)}" if first is not None else ""
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


def _listed(names: Iterable[object]) -> str:
    return few([str(one) for one in names], FEW) or "none"


def changed(objects: Objects, stored: StoredMetrics, since: int) -> Mask:
    """Reads only manifests that one of both snapshots lists. Raises Problem for an unknown snapshot, and Malformed."""
    older = snapshot_with(since, iceberg_of(stored).metadata)
    listed = {str(one["manifest_path"]): one for one in _of_data(read_manifest_list(objects, older.manifest_list))}
    kept = listed.keys() & set(stored.files["manifest"].to_pylist())
    before: set[str] = set()
    for path in listed.keys() - kept:
        before.update(read_manifest(objects, listed[path]).live["file_path"].to_pylist())
    manifests = zip(stored.paths, stored.files["manifest"].to_pylist(), strict=True)
    new = [path not in before and manifest not in kept for path, manifest in manifests]
    return np.array(new, dtype=bool)


def _of_data(manifests: Iterable[Mapping[str, Any]]) -> Iterable[Mapping[str, Any]]:
    return (one for one in manifests if one.get("content", DATA) == DATA)


GONE = "went while the table was read: {newest} no longer has the snapshot; check the table again"
LOOKED_AT = 3
"""Metadata files that are looked at for a later one."""


def moved_on(objects: Objects, metadata_location: str, snapshot: int | None = None) -> str:
    """Why a missing file accuses no table, in a clause, if a later metadata.json no longer has the snapshot, by default
    the current one of the table's own; "" if there is none, or none is found.

    Writers may give several files one version, so the file's own time says whether it is later.
    """
    folder, _, own = metadata_location.rpartition("/")
    with suppress(Problem, Malformed, OSError, ValueError, KeyError, TypeError, AttributeError, pa.ArrowException):
        _, judged, _ = read_table_json(objects, metadata_location)
        judged_at = judged["current-snapshot-id"] if snapshot is None else snapshot
        for name in newest_in(objects, folder)[:LOOKED_AT]:
            if name == own:
                continue
            _, content, _ = read_table_json(objects, f"{folder}/{name}")
            has = {one["snapshot-id"] for one in content.get("snapshots", ())}
            if content["last-updated-ms"] > judged["last-updated-ms"] and judged_at not in has:
                return GONE.format(newest=name)
    return ""

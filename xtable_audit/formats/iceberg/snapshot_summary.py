"""The current snapshot's summary: what it says, and what the snapshot's manifests show.

Iceberg spec, Appendix F: every field is optional.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.formats.iceberg.manifests import DATA, STATUSES, TRACKED, Manifest, entries_of
from xtable_audit.table.deletions import EQUALITY, POSITION

if TYPE_CHECKING:
    from pyiceberg.table.metadata import TableMetadata

SUMS = ("data-files", "records", "delete-files", "position-deletes", "equality-deletes", "files-size")
"""What the summary counts, in the order of `_sums`."""
TOTALS = tuple(f"total-{name}" for name in SUMS)
ADDED = tuple(f"added-{name}" for name in SUMS)
REMOVED = ("deleted-data-files", "deleted-records", *(f"removed-{name}" for name in SUMS[2:]))


def recorded(metadata: TableMetadata, names: Sequence[str]) -> dict[str, str]:
    """The summary's own text for those of the names that it has."""
    snapshot = metadata.current_snapshot()
    if snapshot is None or snapshot.summary is None:
        return {}
    return {name: text for name in names if (text := snapshot.summary.additional_properties.get(name)) is not None}


def shown_totals(metadata: TableMetadata, manifests: Sequence[Manifest]) -> dict[str, int]:
    """What the live entries add up to."""
    entries = _entries(manifests)
    return _sums(metadata, entries.filter(pc.not_equal(entries["status"], STATUSES["deleted"])), TOTALS)


def shown_changes(metadata: TableMetadata, manifests: Sequence[Manifest]) -> dict[str, int]:
    """What the entries that the snapshot itself adds or removes add up to.

    Nothing for additions if no entry is added, and likewise for removals: a writer may leave out such entries.
    """
    entries = _entries(manifests)
    mine = entries.filter(pc.equal(entries["snapshot_id"], metadata.current_snapshot_id))
    added = mine.filter(pc.equal(mine["status"], STATUSES["added"]))
    removed = _once(mine.filter(pc.equal(mine["status"], STATUSES["deleted"])))
    shown = ((added, ADDED), (removed, REMOVED))
    return {
        name: number
        for these, names in shown
        if these.num_rows
        for name, number in _sums(metadata, these, names).items()
    }


class Changes(NamedTuple):
    """What the current snapshot adds and removes, by its entries."""

    added: int = 0
    """Data files."""
    removed: int = 0
    added_rows: int = 0
    removed_rows: int = 0
    deletes: int = 0
    """Delete files that it adds."""


def changes_of(metadata: TableMetadata, manifests: Sequence[Manifest]) -> Changes:
    entries = _entries(manifests)
    mine = entries.filter(pc.equal(entries["snapshot_id"], metadata.current_snapshot_id))
    is_data = np.asarray(pc.equal(mine["content"], DATA).fill_null(False))
    rows = np.asarray(mine["record_count"].fill_null(0))
    added, removed = (
        np.asarray(pc.equal(mine["status"], STATUSES[name]).fill_null(False)) for name in ("added", "deleted")
    )
    numbers = (
        *(np.count_nonzero(added & is_data), np.count_nonzero(removed & is_data)),
        *(rows[added & is_data].sum(), rows[removed & is_data].sum()),
        np.count_nonzero(added & ~is_data),
    )
    return Changes(*map(int, numbers))


def _entries(manifests: Sequence[Manifest]) -> pa.Table:
    """The entries. Those without a snapshot id inherit the manifest's (spec, Manifest Entry Fields)."""
    entries, owner = entries_of(manifests)
    added_by = pa.array([one.listed.get("added_snapshot_id") for one in manifests], pa.int64())
    ids = pc.coalesce(entries["snapshot_id"], added_by.take(pa.array(owner, pa.int64())))
    return entries.set_column(TRACKED.get_field_index("snapshot_id"), "snapshot_id", ids)


def _once(entries: pa.Table) -> pa.Table:
    """Each file once: the summary counts a file that was listed twice and is removed as one (`ManifestFilterManager` of
    Iceberg's Java). Deletion vectors share a file.
    """
    seen = pa.table({"path": entries["path"], "content": entries["content"], "place": np.arange(entries.num_rows)})
    data = seen.filter(pc.equal(seen["content"], DATA)).group_by("path").aggregate([("place", "min")])["place_min"]
    others = seen.filter(pc.not_equal(seen["content"], DATA))["place"]
    return entries.take(pa.chunked_array([*data.chunks, *others.chunks], pa.int64()))


def _sums(metadata: TableMetadata, entries: pa.Table, names: Sequence[str]) -> dict[str, int]:
    """The size is left out if there may be deletion vectors: newer Iceberg counts the vector, older its whole file."""
    content, records = np.asarray(entries["content"]), np.asarray(entries["record_count"])
    deletes = content != DATA
    numbers = (
        *(np.count_nonzero(~deletes), records[~deletes].sum(), np.count_nonzero(deletes)),
        *(records[content == POSITION].sum(), records[content == EQUALITY].sum()),
        np.asarray(entries["size"]).sum(),
    )
    shown = {name: int(number) for name, number in zip(names, numbers, strict=True)}
    if metadata.format_version > 2 and deletes.any():
        del shown[names[-1]]
    return shown

"""The current snapshot's summary: what it says, and what the snapshot's manifests show.

Iceberg spec, Appendix F: every field is optional.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.metadata.deletes import EQUALITY, POSITION
from xtable_audit.metadata.manifests import DATA, STATUSES, Manifest
from xtable_audit.metadata.stored_metrics import StoredMetrics

SUMS = ("data-files", "records", "delete-files", "position-deletes", "equality-deletes", "files-size")
"""What the summary counts, in the order of `_sums`."""
TOTALS = tuple(f"total-{name}" for name in SUMS)
ADDED = tuple(f"added-{name}" for name in SUMS)
REMOVED = ("deleted-data-files", "deleted-records", *(f"removed-{name}" for name in SUMS[2:]))


def recorded(stored: StoredMetrics, names: Sequence[str]) -> dict[str, str]:
    """The summary's own text for those of the names that it has."""
    snapshot = stored.metadata.current_snapshot()
    if snapshot is None or snapshot.summary is None:
        return {}
    return {name: text for name in names if (text := snapshot.summary.additional_properties.get(name)) is not None}


def shown_totals(stored: StoredMetrics) -> dict[str, int]:
    """What the live entries add up to."""
    entries = _entries(stored)
    return _sums(stored, entries.filter(pc.not_equal(entries["status"], STATUSES["deleted"])), TOTALS)


def shown_changes(stored: StoredMetrics) -> dict[str, int]:
    """What the entries that the snapshot itself adds or removes add up to.

    Nothing for additions if no entry is added, and likewise for removals: a writer may leave out such entries.
    """
    entries = _entries(stored)
    mine = entries.filter(pc.equal(entries["snapshot_id"], stored.metadata.current_snapshot_id))
    added = mine.filter(pc.equal(mine["status"], STATUSES["added"]))
    removed = _once(mine.filter(pc.equal(mine["status"], STATUSES["deleted"])))
    return _sums(stored, added, ADDED) | _sums(stored, removed, REMOVED)


def _entries(stored: StoredMetrics) -> pa.Table:
    return pa.concat_tables([_with_snapshot(manifest) for manifest in stored.manifests])


def _with_snapshot(manifest: Manifest) -> pa.Table:
    """The entries. Those without a snapshot id inherit the manifest's (spec, Manifest Entry Fields)."""
    entries = manifest.entries
    inherited = pa.scalar(manifest.listed.get("added_snapshot_id"), pa.int64())
    place = entries.column_names.index("snapshot_id")
    return entries.set_column(place, "snapshot_id", pc.fill_null(entries["snapshot_id"], inherited))


def _once(entries: pa.Table) -> pa.Table:
    """Each file once: the summary counts a file that was listed twice and is removed as one (`ManifestFilterManager` of
    Iceberg's Java). Deletion vectors share a file.
    """
    seen = pa.table({"path": entries["path"], "content": entries["content"], "place": np.arange(entries.num_rows)})
    data = seen.filter(pc.equal(seen["content"], DATA)).group_by("path").aggregate([("place", "min")])["place_min"]
    others = seen.filter(pc.not_equal(seen["content"], DATA))["place"]
    return entries.take(pa.chunked_array([*data.chunks, *others.chunks], pa.int64()))


def _sums(stored: StoredMetrics, entries: pa.Table, names: Sequence[str]) -> dict[str, int]:
    """Nothing if there are no entries, unless these are totals. The size of a deletion vector is left out: newer
    Iceberg counts the vector, older its whole file.
    """
    if not entries.num_rows and names is not TOTALS:
        return {}
    content, records = np.asarray(entries["content"]), np.asarray(entries["record_count"])
    deletes = content != DATA
    numbers = (
        *(np.count_nonzero(~deletes), records[~deletes].sum(), np.count_nonzero(deletes)),
        *(records[content == POSITION].sum(), records[content == EQUALITY].sum()),
        np.asarray(entries["size"]).sum(),
    )
    shown = {name: int(number) for name, number in zip(names, numbers, strict=True)}
    if stored.metadata.format_version > 2 and deletes.any():
        del shown[names[-1]]
    return shown

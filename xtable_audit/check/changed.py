"""The data files that a table has and an older snapshot of it had not: what a nightly check has to read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from xtable_audit.check.snapshot import Chosen
from xtable_audit.formats.iceberg.iceberg_table import iceberg_of
from xtable_audit.formats.iceberg.manifests import DATA, read_manifest, read_manifest_list
from xtable_audit.model.figures import many
from xtable_audit.model.objects import Objects
from xtable_audit.table.stored_metrics import StoredMetrics


@dataclass(frozen=True)
class Changed:
    """Places of files in the stored metrics, in their order."""

    places: tuple[int, ...]
    files: int
    """Number of files in the table."""
    since: int

    def __str__(self) -> str:
        read = f"Values of {len(self.places):,} of {many(self.files, 'file')} are compared"
        return f"{read}: those that snapshot {self.since} did not have. They say nothing about the others."


def changed(objects: Objects, stored: StoredMetrics, since: int) -> Changed:
    """Reads only manifests that one of both snapshots lists. Raises Problem for an unknown snapshot, and Malformed."""
    older = Chosen(snapshot=since)(iceberg_of(stored).metadata).current_snapshot()
    assert older is not None
    listed = {str(one["manifest_path"]): one for one in _of_data(read_manifest_list(objects, older.manifest_list))}
    kept = listed.keys() & set(stored.files["manifest"].to_pylist())
    before: set[str] = set()
    for path in listed.keys() - kept:
        before.update(read_manifest(objects, listed[path]).live["file_path"].to_pylist())
    manifests = zip(stored.paths, stored.files["manifest"].to_pylist(), strict=True)
    new = [path not in before and manifest not in kept for path, manifest in manifests]
    return Changed(tuple(np.flatnonzero(new).tolist()), len(new), since)


def _of_data(manifests: Iterable[Mapping[str, Any]]) -> Iterable[Mapping[str, Any]]:
    return (one for one in manifests if one.get("content", DATA) == DATA)

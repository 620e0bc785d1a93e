"""The data files that an Iceberg table has and an older snapshot of it had not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from xtable_audit.formats.iceberg.check.snapshot import snapshot_with
from xtable_audit.formats.iceberg.iceberg_table import iceberg_of
from xtable_audit.formats.iceberg.manifests import DATA, read_manifest, read_manifest_list
from xtable_audit.model.objects import Objects
from xtable_audit.table.stored_metrics import Mask, StoredMetrics


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

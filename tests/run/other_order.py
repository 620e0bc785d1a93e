"""A plugin of pytest: manifests are read from their last file to their first.

XTable lists files in the order of their names, which are random. So is the one of several files that a finding names.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import pyarrow as pa

from xtable_audit.metadata import stored_metrics as stored
from xtable_audit.metadata.manifests import Manifest, read_manifest, read_manifest_list
from xtable_audit.model.objects import Objects


def entries_backwards(objects: Objects, listed: Mapping[str, Any], ids: Collection[int]) -> Manifest:
    manifest = read_manifest(objects, listed, ids)
    backwards = pa.array(range(manifest.live.num_rows)[::-1], pa.int64())
    metrics = manifest.metrics.take(backwards) if manifest.metrics.num_columns else manifest.metrics
    return replace(manifest, live=manifest.live.take(backwards), metrics=metrics)


def manifests_backwards(objects: Objects, uri: str) -> list[dict[str, Any]]:
    return read_manifest_list(objects, uri)[::-1]


def pytest_configure() -> None:
    setattr(stored, read_manifest.__name__, entries_backwards)
    setattr(stored, read_manifest_list.__name__, manifests_backwards)

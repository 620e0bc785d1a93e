"""A plugin of pytest: manifests are read from their last file to their first.

XTable lists files in the order of their names, which are random. So is the one of several files that a finding names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from xtable_audit.metadata import stored_metrics as stored
from xtable_audit.metadata.manifests import live_entries, read_manifest_list
from xtable_audit.model.objects import Objects


def entries_backwards(objects: Objects, manifest: Mapping[str, Any]) -> pa.Table:
    live = live_entries(objects, manifest)
    each = [live.slice(place, 1) for place in reversed(range(live.num_rows))]
    return pa.concat_tables(each) if each else live


def manifests_backwards(objects: Objects, uri: str) -> list[dict[str, Any]]:
    return read_manifest_list(objects, uri)[::-1]


def pytest_configure() -> None:
    setattr(stored, live_entries.__name__, entries_backwards)
    setattr(stored, read_manifest_list.__name__, manifests_backwards)

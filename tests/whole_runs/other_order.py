"""A plugin of pytest: manifests are read from their last file to their first.

XTable lists files in the order of their names, which are random. So is the one of several files that a finding names.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from xtable_audit.formats.iceberg import stored_metrics as stored
from xtable_audit.formats.iceberg.manifests import Manifests, read_manifest_list
from xtable_audit.formats.iceberg.manifests_together import read_group
from xtable_audit.model.objects import Objects


def entries_backwards(
    objects: Objects, group: Sequence[Mapping[str, Any]], ids: Collection[int]
) -> Iterator[Manifests]:
    for listed in group:
        [read] = read_group(objects, [listed], ids)
        backwards = pa.array(range(read.live.num_rows)[::-1], pa.int64())
        metrics = read.metrics.take(backwards) if read.metrics.num_columns else read.metrics
        live = read.live.take(backwards)
        yield Manifests((replace(read.each[0], live=live),), live, metrics)


def manifests_backwards(objects: Objects, uri: str) -> list[dict[str, Any]]:
    return read_manifest_list(objects, uri)[::-1]


def pytest_configure() -> None:
    setattr(stored, read_group.__name__, entries_backwards)
    setattr(stored, read_manifest_list.__name__, manifests_backwards)

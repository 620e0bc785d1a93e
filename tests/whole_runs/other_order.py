"""A plugin of pytest: manifests are read from their last file to their first.

XTable lists files in the order of their names, which are random. So is the one of several files that a finding names.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ParamSpec, TypeVar

import pyarrow as pa

from xtable_audit.formats.iceberg import stored_metrics as stored
from xtable_audit.formats.iceberg.manifests import Manifests, read_manifest_list
from xtable_audit.formats.iceberg.manifests_together import NOTHING_READ, read_group
from xtable_audit.model.objects import Objects

P = ParamSpec("P")
R = TypeVar("R")


def instead_of(read: Callable[P, R]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """In what reads the stored metrics. That both take the same is checked with the types."""

    def replaced(backwards: Callable[P, R]) -> Callable[P, R]:
        setattr(stored, read.__name__, backwards)
        return backwards

    return replaced


@instead_of(read_group)
def entries_backwards(
    objects: Objects,
    group: Sequence[Mapping[str, Any]],
    ids: Collection[int],
    contents: Mapping[str, bytes] = NOTHING_READ,
) -> Iterator[Manifests]:
    for listed in group:
        [read] = read_group(objects, [listed], ids, contents)
        backwards = pa.array(range(read.live.num_rows)[::-1], pa.int64())
        metrics = read.metrics.take(backwards) if read.metrics.num_columns else read.metrics
        live = read.live.take(backwards)
        yield Manifests((replace(read.each[0], live=live),), live, metrics)


@instead_of(read_manifest_list)
def manifests_backwards(objects: Objects, uri: str) -> list[dict[str, Any]]:
    return read_manifest_list(objects, uri)[::-1]

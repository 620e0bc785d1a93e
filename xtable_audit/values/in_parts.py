"""Which columns and row groups of a file are read at a time: Arrow fetches all of them before the first row."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import pyarrow.parquet as pq

from xtable_audit.model.limits import MIB

TOGETHER = 64 * MIB
"""Bytes that are read at a time, inflated; more where a column alone has more in a row group."""


def in_parts(
    metadata: pq.FileMetaData, roots: Sequence[str], together: Collection[str], groups: Sequence[int]
) -> Iterator[list[str]]:
    """The top-level columns `roots` in parts, one at least, each to be read by itself through the row groups.

    Those that are needed `together` are in one part, the first.
    """
    each = [_sizes(metadata, group) for group in groups]
    sizes = {root: max((one.get(root, 0) for one in each), default=0) for root in roots}
    part = [root for root in roots if root in together]
    size = sum(sizes[root] for root in part)
    for root in roots:
        if root in together:
            continue
        if part and size + sizes[root] > TOGETHER:
            yield part
            part, size = [], 0
        part.append(root)
        size += sizes[root]
    yield part


def in_runs(metadata: pq.FileMetaData, roots: Sequence[str], groups: Sequence[int]) -> Iterator[list[int]]:
    """The row groups in their order, as many at a time as have that much of these columns."""
    run: list[int] = []
    size = 0
    for group in groups:
        sizes = _sizes(metadata, group)
        more = sum(sizes.get(root, 0) for root in roots)
        if run and size + more > TOGETHER:
            yield run
            run, size = [], 0
        run.append(group)
        size += more
    if run:
        yield run


def _sizes(metadata: pq.FileMetaData, group: int) -> Mapping[str, int]:
    """Bytes of each top-level column in the row group, by the footer."""
    found: dict[str, int] = {}
    held = metadata.row_group(group)
    for chunk in map(held.column, range(held.num_columns)):
        root = chunk.path_in_schema.partition(".")[0]
        found[root] = found.get(root, 0) + chunk.total_uncompressed_size
    return found

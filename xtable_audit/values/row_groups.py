"""What of a Parquet file is read and decoded at a time, by its footer: row groups, columns and rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from xtable_audit.model.limits import LIMITS, MIB
from xtable_audit.model.objects import beyond


class RowGroup(NamedTuple):
    start: int
    """The offset of its first page."""
    size: int
    """Its bytes in the file."""
    rows: int

    @property
    def end(self) -> int:
        return self.start + self.size

    @property
    def middle(self) -> int:
        """A task reads the row groups whose middle is in its part of the file (`filterFileMetaDataByMidpoint`)."""
        return self.start + self.size // 2


def row_groups(metadata: pq.FileMetaData) -> tuple[RowGroup, ...]:
    """As Parquet's Java takes them (`ParquetMetadataConverter.filterFileMetaDataByMidpoint`): a group begins with the
    first page of its first column.
    """
    found = []
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        chunks = [group.column(place) for place in range(group.num_columns)]
        start = _start(chunks[0]) if chunks else 0
        found.append(RowGroup(start, sum(chunk.total_compressed_size for chunk in chunks), group.num_rows))
    return tuple(found)


def _start(chunk: pq.ColumnChunkMetaData) -> int:
    data, dictionary = chunk.data_page_offset, chunk.dictionary_page_offset
    return int(data if not dictionary else min(data, dictionary))


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


BATCH_ROWS = 128 * 1024
"""Most rows that are decoded at a time. It limits the judge's memory, independent of the row group size."""
BATCH_BYTES = 128 * MIB
"""Bytes that are decoded at a time, by the sizes in the footer: of wide rows there are fewer in a batch."""


class TooMuch(pa.ArrowInvalid):  # type: ignore[misc]
    """The file takes more memory to read than the limits allow. It may be legal."""


def rows_at_once(
    metadata: pq.FileMetaData, roots: Collection[str], groups: Sequence[int] | None, largest: int = LIMITS.row_group
) -> int:
    """Rows to decode at a time, of these top-level columns and row groups (all if None).

    Raises TooMuch for a row group whose columns inflate to more than `largest` bytes, ArrowInvalid for a size below 0.
    """
    few = BATCH_ROWS
    for number in range(metadata.num_row_groups) if groups is None else groups:
        group = metadata.row_group(number)
        chunks = [group.column(place) for place in range(group.num_columns)]
        sizes = [one.total_uncompressed_size for one in chunks if one.path_in_schema.partition(".")[0] in roots]
        if any(size < 0 for size in sizes):
            raise pa.ArrowInvalid(f"its footer claims a column of {min(sizes):,} bytes in row group {number}")
        if (size := sum(sizes)) > largest:
            raise TooMuch(f"by its footer, row group {number} inflates to {size:,} bytes, {beyond(largest)}")
        few = min(few, BATCH_BYTES * max(group.num_rows, 1) // max(size, 1))
    return max(few, 1)


def repetitive(metadata: pq.FileMetaData) -> list[str]:
    """Byte array columns with few distinct values, which are cheaper to decode as dictionaries.

    Judged by the chunk sizes in the footer, never by its statistics.
    """
    packed: dict[str, bool] = {}
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        for chunk in map(group.column, range(group.num_columns)):
            path = chunk.path_in_schema
            few = chunk.physical_type == "BYTE_ARRAY" and chunk.total_uncompressed_size < 2 * chunk.num_values
            packed[path] = packed.get(path, "." not in path) and few
    return [path for path, few in packed.items() if few]

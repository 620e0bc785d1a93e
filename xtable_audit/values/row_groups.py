"""Where the row groups of a Parquet file are, by its footer: geometry, which says nothing of values."""

from __future__ import annotations

from typing import NamedTuple

import pyarrow.parquet as pq


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

"""Row ids that metadata assigns to the rows of live data files (Iceberg spec, First Row ID Inheritance)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from xtable_audit.formats.iceberg.manifests import DATA, Manifest
from xtable_audit.model.wanted import WantedColumn

if TYPE_CHECKING:
    from pyiceberg.table.metadata import TableMetadata


ROW_ID = WantedColumn(2147483540, "_row_id", pa.int64())
LAST_UPDATED = WantedColumn(2147483539, "_last_updated_sequence_number", pa.int64())
"""Columns that data files of format version 3 hold for rows that were moved (Iceberg spec, Reserved Field IDs)."""
LINEAGE = (ROW_ID, LAST_UPDATED)


@dataclass(frozen=True)
class RowIds:
    """The ids of the rows of one live data file, from `first` to `first + rows - 1`."""

    place: int
    """Of the file in the stored metrics."""
    path: str
    first: int
    rows: int
    assigned_by: int | None
    """The first row id of its manifest, if the file inherits its ids from there; None if its entry has them."""

    @property
    def end(self) -> int:
        return self.first + self.rows


def row_ids(manifests: Sequence[Manifest]) -> Iterator[RowIds]:
    """Those of each live data file whose ids are assigned. `manifests`: all of a snapshot, in the order of its list."""
    place = 0
    for manifest in manifests:
        if manifest.listed.get("content", DATA) != DATA:
            continue
        start = manifest.listed.get("first_row_id")
        following = start
        live = manifest.live
        own = live["first_row_id"].to_pylist() if "first_row_id" in live.column_names else [None] * live.num_rows
        counts, paths = live["record_count"].to_pylist(), live["file_path"].to_pylist()
        for path, first, rows in zip(paths, own, counts, strict=True):
            if first is not None:
                yield RowIds(place, path, first, rows, None)
            elif following is not None:
                yield RowIds(place, path, following, rows, start)
                following += rows
            place += 1


def next_row_id(metadata: TableMetadata) -> int | None:
    """The table's next-row-id; None before format version 3."""
    next_id: int | None = getattr(metadata, "next_row_id", None)
    return next_id

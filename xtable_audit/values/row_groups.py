"""What of a Parquet file is read and decoded at a time, by its footer: row groups, columns and rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from xtable_audit.model.limits import LIMITS, MIB, in_rounds
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


class Chunk(NamedTuple):
    """A column of a row group."""

    group: int
    """The number of the row group."""
    path: str
    """Dotted."""
    root: str
    """The top-level column."""
    start: int
    """The offset of its first page."""
    size: int
    """Its bytes in the file."""
    inflated: int
    values: int
    is_bytes: bool

    @property
    def end(self) -> int:
        return self.start + self.size


@dataclass(frozen=True)
class Footer:
    """What a footer says of row groups and columns, taken from Arrow once: each look at one makes an object."""

    rows: tuple[int, ...]
    """Of each row group."""
    chunks: tuple[tuple[Chunk, ...], ...]
    """Of each row group."""

    @classmethod
    def of(cls, metadata: pq.FileMetaData) -> Footer:
        groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
        chunks = tuple(
            tuple(_chunk(number, group.column(place)) for place in range(group.num_columns))
            for number, group in enumerate(groups)
        )
        return cls(tuple(group.num_rows for group in groups), chunks)

    @cached_property
    def sizes(self) -> tuple[Mapping[str, int], ...]:
        """Bytes of each top-level column, inflated, in each row group."""
        return tuple(map(_sizes, self.chunks))


def _chunk(group: int, held: pq.ColumnChunkMetaData) -> Chunk:
    path, data, dictionary = held.path_in_schema, held.data_page_offset, held.dictionary_page_offset
    return Chunk(
        *(group, path, path.partition(".")[0], min(data, dictionary) if dictionary else data),
        *(held.total_compressed_size, held.total_uncompressed_size, held.num_values),
        held.physical_type == "BYTE_ARRAY",
    )


def _sizes(chunks: Iterable[Chunk]) -> Mapping[str, int]:
    found: dict[str, int] = {}
    for chunk in chunks:
        found[chunk.root] = found.get(chunk.root, 0) + chunk.inflated
    return found


def row_groups(footer: Footer) -> tuple[RowGroup, ...]:
    """As Parquet's Java takes them (`ParquetMetadataConverter.filterFileMetaDataByMidpoint`): a group begins with the
    first page of its first column.
    """
    return tuple(
        RowGroup(chunks[0].start if chunks else 0, sum(chunk.size for chunk in chunks), rows)
        for rows, chunks in zip(footer.rows, footer.chunks, strict=True)
    )


TOGETHER = 64 * MIB
"""Bytes that are read at a time, inflated; more where a column alone has more in a row group."""


def in_parts(
    footer: Footer, roots: Sequence[str], together: Collection[str], groups: Sequence[int]
) -> Iterator[list[str]]:
    """The top-level columns `roots` in parts, one at least, each to be read by itself through the row groups.

    Those that are needed `together` are in one part, the first.
    """
    each = [footer.sizes[group] for group in groups]
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


def in_runs(footer: Footer, roots: Sequence[str], groups: Sequence[int]) -> Iterator[list[int]]:
    """The row groups in their order, as many at a time as have that much of these columns."""

    def size(group: int) -> int:
        return sum(footer.sizes[group].get(root, 0) for root in roots)

    return in_rounds(groups, size, TOGETHER)


BATCH_ROWS = 128 * 1024
"""Most rows that are decoded at a time. It limits the judge's memory, independent of the row group size."""
BATCH_BYTES = 128 * MIB
"""Bytes that are decoded at a time, by the sizes in the footer: of wide rows there are fewer in a batch."""


class TooMuch(pa.ArrowInvalid):  # type: ignore[misc]
    """The file takes more memory to read than the limits allow. It may be legal."""


def rows_at_once(
    footer: Footer, roots: Iterable[str], groups: Sequence[int] | None, largest: int = LIMITS.row_group
) -> int:
    """Rows to decode at a time, of these top-level columns and row groups (all if None).

    Raises TooMuch for a row group whose columns inflate to more than `largest` bytes, ArrowInvalid for a size below 0.
    """
    few, wanted = BATCH_ROWS, frozenset(roots)
    for number in range(len(footer.rows)) if groups is None else groups:
        sizes = [chunk.inflated for chunk in footer.chunks[number] if chunk.root in wanted]
        if sizes and min(sizes) < 0:
            raise pa.ArrowInvalid(f"its footer claims a column of {min(sizes):,} bytes in row group {number}")
        if (size := sum(sizes)) > largest:
            raise TooMuch(f"by its footer, row group {number} inflates to {size:,} bytes, {beyond(largest)}")
        few = min(few, BATCH_BYTES * max(footer.rows[number], 1) // max(size, 1))
    return max(few, 1)


MANY_VALUES = 10_000
"""Values of a column for which a dictionary pays: what opens the file anew, to decode as one, is the same for all."""


def repetitive(footer: Footer) -> list[str]:
    """Byte array columns with many values and few distinct ones, which are cheaper to decode as dictionaries.

    Judged by the chunk sizes in the footer, never by its statistics.
    """
    packed: dict[str, bool] = {}
    values: dict[str, int] = {}
    for chunk in chain.from_iterable(footer.chunks):
        few = chunk.is_bytes and chunk.inflated < 2 * chunk.values
        packed[chunk.path] = packed.get(chunk.path, "." not in chunk.path) and few
        values[chunk.path] = values.get(chunk.path, 0) + chunk.values
    return [path for path, few in packed.items() if few and values[path] >= MANY_VALUES]

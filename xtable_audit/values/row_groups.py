"""Row groups and pages of a Parquet file: where they are, which are read at a time, and what pages may inflate to."""

from __future__ import annotations

import io
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from xtable_audit.model.limits import MIB


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


ANY = 8 * MIB
"""A page may inflate to as much, whatever the footer says: writers begin a new page after 1 MiB (parquet.page.size)."""


class Placed(io.RawIOBase):
    """A file of this size, in which Arrow seeks before it reads."""

    def __init__(self, size: int) -> None:
        self._size, self._place = size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._place = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._size}[whence]
        return self._place


class HeldPages(Placed):
    """The file for Arrow, which reads a column of a row group in one piece, or several. Nothing is read besides.

    `read` raises ArrowInvalid for a column with a page that inflates to more than the footer has for the whole column.
    """

    def __init__(self, source: pa.NativeFile, metadata: pq.FileMetaData) -> None:
        super().__init__(source.size())
        self._source = source
        self._chunks = sorted(_chunks(metadata))

    def read(self, size: int = -1) -> bytes:
        at, left = self._place, max(self._size - self._place, 0)
        content: bytes = self._source.read_at(left if size < 0 else min(size, left), at) if left else b""
        self._place += len(content)
        octets = memoryview(content)
        for one in self._chunks[bisect_left(self._chunks, at, key=_start_of_chunk) :]:
            if one.start >= at + len(octets):
                break
            _demand_pages(octets[one.start - at : one.end - at], one)
        return content


@dataclass(frozen=True, order=True)
class _Chunk:
    """A column of a row group: where its pages are, and to how many bytes one may inflate."""

    start: int
    end: int
    most: int
    name: str


def _start_of_chunk(chunk: _Chunk) -> int:
    return chunk.start


def _chunks(metadata: pq.FileMetaData) -> Iterator[_Chunk]:
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        for chunk in map(group.column, range(group.num_columns)):
            start = min(chunk.data_page_offset, chunk.dictionary_page_offset or chunk.data_page_offset)
            most = max(chunk.total_uncompressed_size, ANY)
            yield _Chunk(
                start, start + chunk.total_compressed_size, most, f"{chunk.path_in_schema} in row group {number}"
            )


def _demand_pages(content: memoryview, chunk: _Chunk) -> None:
    """What is no header of a page is left to Arrow to refuse."""
    place = 0
    while place < len(content):
        try:
            inflated, deflated, place = _header(content, place)
        except (IndexError, ValueError):
            return
        if not 0 <= inflated <= chunk.most:
            saw = f"a page of {chunk.name} claims {inflated:,} bytes"
            raise pa.ArrowInvalid(f"{saw}, and its footer at most {chunk.most:,}")
        if deflated < 0:
            return
        place += deflated


INFLATED, DEFLATED = 2, 3
"""Fields of PageHeader (parquet.thrift)."""
TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
"""Types of Thrift's compact protocol."""
DEEPEST = 8


def _header(content: memoryview, place: int) -> tuple[int, int, int]:
    """Sizes of the page, inflated and deflated, and where its header ends. Raises IndexError, ValueError."""
    sizes, field = {INFLATED: 0, DEFLATED: 0}, 0
    while kind := content[place]:
        place, field = _field(content, place, field)
        if field in sizes and kind & 0x0F == I32:
            number, place = _varint(content, place)
            sizes[field] = (number >> 1) ^ -(number & 1)
        else:
            place = _skip(content, place, kind & 0x0F, 0)
    return sizes[INFLATED], sizes[DEFLATED], place + 1


def _field(content: memoryview, place: int, before: int) -> tuple[int, int]:
    """Where the value of a field begins, and the field's number."""
    if more := content[place] >> 4:
        return place + 1, before + more
    number, place = _varint(content, place + 1)
    return place, (number >> 1) ^ -(number & 1)


def _skip(content: memoryview, place: int, kind: int, depth: int) -> int:
    """Where a value ends."""
    if depth > DEEPEST:
        raise ValueError("too deep")
    if kind in (TRUE, FALSE):
        return place
    if kind in (BYTE, DOUBLE):
        return place + (1 if kind == BYTE else 8)
    if kind in (I16, I32, I64):
        return _varint(content, place)[1]
    if kind == BINARY:
        length, place = _varint(content, place)
        return place + length
    if kind == STRUCT:
        while inner := content[place]:
            place, _ = _field(content, place, 0)
            place = _skip(content, place, inner & 0x0F, depth + 1)
        return place + 1
    raise ValueError("a page's header has no such field")


def _varint(content: memoryview, place: int) -> tuple[int, int]:
    number = shift = 0
    while shift < 70:
        byte = content[place]
        number |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return number, place
    raise ValueError("no number")

"""Opens a Parquet file of strangers: what its footer claims, and what its pages inflate to, are within limits."""

from __future__ import annotations

import io
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from xtable_audit.model.limits import LIMITS, MIB
from xtable_audit.model.objects import beyond
from xtable_audit.values.row_groups import BATCH_ROWS, TooMuch

MOST_ROWS = 1 << 33
"""Rows of one file. A page of a few bytes may hold two thousand million nulls, so the size of a file limits nothing."""
MOST_IN_FOOTER = 1_000_000
"""Items of one list of a footer: row groups, columns, or nodes of the schema."""
FOOTER_END = 8
"""Bytes of the footer's length and of the magic number after it (Parquet format, File Format)."""

NO_MEMORY = "takes more memory to read than there is"


def open_parquet(source: Any, *, largest_footer: int = LIMITS.footer, **options: Any) -> pq.ParquetFile:
    """Opens a file with INT96 timestamps in microseconds: nanoseconds would cover only the years 1677 to 2262.

    Raises TooMuch for a footer beyond the limit, ArrowInvalid for an absurd number of rows, before a page is read.
    """
    fresh = "metadata" not in options
    if fresh:
        _demand_footer(source, largest_footer)
    limits = {"thrift_string_size_limit": largest_footer, "thrift_container_size_limit": MOST_IN_FOOTER}
    file = pq.ParquetFile(source, coerce_int96_timestamp_unit="us", **limits, **options)
    if not 0 <= file.metadata.num_rows <= MOST_ROWS:
        raise pa.ArrowInvalid(f"its footer claims {file.metadata.num_rows:,} rows, more than {MOST_ROWS:,}")
    for group in map(file.metadata.row_group, range(file.metadata.num_row_groups)):
        if not 0 <= group.num_rows <= MOST_ROWS:
            raise pa.ArrowInvalid(f"its footer claims a row group of {group.num_rows:,} rows")
    if fresh:
        _demand_chunks(file.metadata, source.size())
    return file


def batches(file: pq.ParquetFile, rows: int = BATCH_ROWS, **options: Any) -> Iterator[pa.RecordBatch]:
    """The rows of the file, so many at a time, decoded by the thread that asks.

    A thread of Arrow's may hold the file longer than the reading takes. If it is Python's, and the interpreter ends
    meanwhile, the process aborts (apache/arrow#34314) or never ends (#50482).
    """
    return file.iter_batches(rows, use_threads=False, **options)  # type: ignore[no-any-return]


ANY = 8 * MIB
"""A page may inflate to as much, whatever the footer says: writers begin a new page after 1 MiB (parquet.page.size)."""


class SizedFile(io.RawIOBase):
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


class _Nothing(SizedFile):
    """A file of this size that gives no byte."""

    asked = False

    def read(self, size: int = -1) -> bytes:
        """An exception would not do: Arrow keeps it for ever, and by its traceback the whole file (PyArrow 25)."""
        self.asked = True
        return b""


def _demand_chunks(metadata: pq.FileMetaData, size: int) -> None:
    """Raises what Arrow raises of a footer that describes its columns wrongly.

    Arrow weighs the descriptions of all columns before it asks for a page. Where Python asks for one of them (PyArrow
    25, `RowGroupMetaData.column`), the same exception ends the process.
    """
    nothing = _Nothing(size)
    file = pq.ParquetFile(pa.PythonFile(nothing, mode="r"), metadata=metadata)
    try:
        next(batches(file, 1), None)
    except (OSError, pa.ArrowException):
        if not nothing.asked:
            raise


def _demand_footer(source: pa.NativeFile, largest: int) -> None:
    """Raises TooMuch if the footer is larger; what is no Parquet file at all is left to the reader."""
    size = source.size()
    if size > largest:  # a smaller file is spared the request
        length = int.from_bytes(source.read_at(4, size - FOOTER_END), "little")
        if largest < length <= size:
            raise TooMuch(f"its footer has {length:,} bytes, {beyond(largest)}")


def open_held(
    source: pa.NativeFile, largest_footer: int, dictionaries: Callable[[pq.FileMetaData], list[str]] = lambda _: []
) -> pq.ParquetFile:
    """The same, and its pages are held to its footer as they are read. `dictionaries`: what to decode as such."""
    metadata = open_parquet(source, largest_footer=largest_footer).metadata
    held = pa.PythonFile(HeldPages(source, metadata), mode="r")
    return open_parquet(held, metadata=metadata, read_dictionary=dictionaries(metadata))


class HeldPages(SizedFile):
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

"""Opens a Parquet file of strangers: what its footer claims, and what its pages inflate to, are within limits."""

from __future__ import annotations

import io
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from operator import attrgetter
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from xtable_audit.model.interpreter import in_turn
from xtable_audit.model.limits import LIMITS, MIB
from xtable_audit.model.objects import beyond
from xtable_audit.values.page_headers import page_sizes
from xtable_audit.values.row_groups import BATCH_ROWS, Chunk, Footer, TooMuch

MOST_ROWS = 1 << 33
"""Rows of one file. A page of a few bytes may hold two thousand million nulls, so the size of a file limits nothing."""
MOST_IN_FOOTER = 1_000_000
"""Items of one list of a footer: row groups, columns, or nodes of the schema."""
FOOTER_END = 8
"""Bytes of the footer's length and of the magic number after it (Parquet format, File Format)."""

NO_MEMORY = "takes more memory to read than there is"


class HeldFile(pq.ParquetFile):  # type: ignore[misc]
    """A file whose footer is looked at before a page is read, and its pages are held to it before they are decoded."""

    footer: Footer


def open_held(
    source: pa.NativeFile,
    largest_footer: int = LIMITS.footer,
    dictionaries: Callable[[Footer], list[str]] = lambda _: [],
) -> HeldFile:
    """Opens a file with INT96 timestamps in microseconds: nanoseconds would cover only the years 1677 to 2262.

    `dictionaries`: the columns to decode as such. Raises TooMuch for a footer beyond the limit, ArrowInvalid for an
    absurd number of rows, before a page is read.
    """
    _demand_footer(source, largest_footer)
    content = _whole(source) if source.size() <= WHOLE else None
    source = source if content is None else pa.BufferReader(content)
    limits = {"thrift_string_size_limit": largest_footer, "thrift_container_size_limit": MOST_IN_FOOTER}
    options = {"coerce_int96_timestamp_unit": "us", **limits}
    file = HeldFile(source, **options)  # what a store raises where Python reads for Arrow is kept for ever
    options["metadata"] = file.metadata
    _demand_rows(file.metadata)
    if content is None:
        pages = HeldPages(source)
        source = pa.PythonFile(pages, mode="r")
        file = HeldFile(source, **options)
        _demand_chunks(file, lambda _: pages.asked)
        footer = Footer.of(file.metadata)
        pages.hold(footer)
    else:
        _demand_chunks(_without_pages(content, options), _is_of_closed)
        footer = Footer.of(file.metadata)
        for chunk in chain.from_iterable(footer.chunks):
            _demand_pages(content, 0, chunk)
    if names := dictionaries(footer):
        file = HeldFile(source, read_dictionary=names, **options)
    file.footer = footer
    return file


WHOLE = MIB
"""Bytes of a file that is read by one request, footer and pages."""


def _whole(source: pa.NativeFile) -> memoryview:
    """Without a copy, if it is in memory."""
    source.seek(0)
    return memoryview(source.read_buffer())


@contextmanager
def at_hand(source: pa.NativeFile) -> Iterator[pa.NativeFile]:
    """A small file in memory, when it is its turn to be worked on; a larger one as it is."""
    if source.size() > WHOLE:
        yield source
        return
    content = pa.BufferReader(source.read_buffer())
    with in_turn():
        yield content


def _demand_rows(metadata: pq.FileMetaData) -> None:
    if not 0 <= metadata.num_rows <= MOST_ROWS:
        raise pa.ArrowInvalid(f"its footer claims {metadata.num_rows:,} rows, more than {MOST_ROWS:,}")
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        if not 0 <= group.num_rows <= MOST_ROWS:
            raise pa.ArrowInvalid(f"its footer claims a row group of {group.num_rows:,} rows")


def batches(file: pq.ParquetFile, rows: int = BATCH_ROWS, **options: Any) -> Iterator[pa.RecordBatch]:
    """The rows of the file, so many at a time, decoded by the thread that asks.

    A thread of Arrow's may hold the file longer than the reading takes. If it is Python's, and the interpreter ends
    meanwhile, the process aborts (apache/arrow#34314) or never ends (#50482).
    """
    return file.iter_batches(rows, use_threads=False, **options)  # type: ignore[no-any-return]


ANY = 8 * MIB
"""A page may inflate to as much, whatever the footer says: writers begin a new page after 1 MiB (parquet.page.size)."""


def _demand_chunks(file: HeldFile, is_of_pages: Callable[[Exception], bool]) -> None:
    """Raises what Arrow raises of a footer that describes its columns wrongly, of a file that gives no page.

    Arrow weighs the descriptions of all columns before it asks for a page. Where Python asks for one of them (PyArrow
    25, `RowGroupMetaData.column`), the same exception ends the process.
    """
    try:
        next(batches(file, 1), None)
    except (OSError, pa.ArrowException) as error:
        if not is_of_pages(error):
            raise


def _without_pages(content: memoryview, options: Mapping[str, Any]) -> HeldFile:
    """The file by its footer, closed: no thread of Arrow's waits for Python to give it no page."""
    source = pa.BufferReader(content)
    with source:
        return HeldFile(source, **options)


def _is_of_closed(error: Exception) -> bool:
    return str(error) == "Operation forbidden on closed BufferReader"


def _demand_footer(source: pa.NativeFile, largest: int) -> None:
    """Raises TooMuch if the footer is larger; what is no Parquet file at all is left to the reader."""
    size = source.size()
    if size > largest:  # a smaller file is spared the request
        length = int.from_bytes(source.read_at(4, size - FOOTER_END), "little")
        if largest < length <= size:
            raise TooMuch(f"its footer has {length:,} bytes, {beyond(largest)}")


BY_PLACE = attrgetter("start")


class HeldPages(io.RawIOBase):
    """The file for Arrow, which reads a column of a row group in one piece, or several. Nothing is read besides, but
    for the footer.

    `read` raises ArrowInvalid for a column with a page that inflates to more than the footer has for the whole column.
    """

    are_given, asked = False, False
    """Whether there is a byte for Arrow, and whether it has asked for one."""

    def __init__(self, source: pa.NativeFile) -> None:
        self._source, self._size, self._place = source, source.size(), 0
        self._chunks: list[Chunk] = []

    def hold(self, footer: Footer) -> None:
        self.are_given = True
        self._chunks = sorted(chain.from_iterable(footer.chunks), key=BY_PLACE)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._place = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._size}[whence]
        return self._place

    def read(self, size: int = -1) -> bytes:
        """No byte, where an exception would do: Arrow keeps it for ever, and by its traceback the file (PyArrow 25)."""
        self.asked = True
        at, left = self._place, max(self._size - self._place, 0)
        if not (self.are_given and left):
            return b""
        content: bytes = self._source.read_at(left if size < 0 else min(size, left), at)
        self._place += len(content)
        for one in self._chunks[bisect_left(self._chunks, at, key=BY_PLACE) :]:
            if one.start >= at + len(content):
                break
            _demand_pages(content, at, one)
        return content


def _demand_pages(content: bytes | memoryview, at: int, chunk: Chunk) -> None:
    """`content` begins at this place of the file. What is no header of a page is left to Arrow to refuse."""
    place, end, most = chunk.start - at, min(chunk.end - at, len(content)), max(chunk.inflated, ANY)
    while place < end:
        try:
            inflated, deflated, place = page_sizes(content, place)
        except (IndexError, ValueError):
            return
        if place > end:
            return
        if not 0 <= inflated <= most:
            saw = f"a page of {chunk.path} in row group {chunk.group} claims {inflated:,} bytes"
            raise pa.ArrowInvalid(f"{saw}, and its footer at most {most:,}")
        if deflated < 0:
            return
        place += deflated

"""Packs of files, each for one task, and tables as the bytes in which they cross the network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

PACK_BYTES, PACK_FILES = 256 << 20, 500


@dataclass(frozen=True)
class Packing:
    """The maximum of one task, which is the most that is lost with it; a file of more bytes has a task of its own."""

    files: int = PACK_FILES
    bytes: int = PACK_BYTES

    def packs(self, sizes: Sequence[int]) -> Iterator[range]:
        """Places of consecutive files, by the size of each."""
        first, filled = 0, 0
        for place, size in enumerate(sizes):
            if place > first and (place - first == self.files or filled + size > self.bytes):
                yield range(first, place)
                first, filled = place, 0
            filled += size
        if first < len(sizes):
            yield range(first, len(sizes))


def to_bytes(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue().to_pybytes())


def from_bytes(content: bytes) -> pa.Table:
    return pa.ipc.open_stream(content).read_all()

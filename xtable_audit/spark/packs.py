"""Packs of files, each for one task, and tables as the bytes in which they cross the network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

PACK_BYTES, PACK_FILES = 256 << 20, 500
"""Maximum of one task; a file that is larger has a task of its own."""


def packs(sizes: Sequence[int]) -> Iterator[list[int]]:
    """Places of consecutive files, at most PACK_FILES and, unless it is one file, PACK_BYTES of them together."""
    pack: list[int] = []
    filled = 0
    for place, size in enumerate(sizes):
        if pack and (len(pack) == PACK_FILES or filled + size > PACK_BYTES):
            yield pack
            pack, filled = [], 0
        pack.append(place)
        filled += size
    if pack:
        yield pack


def to_bytes(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue().to_pybytes())


def from_bytes(content: bytes) -> pa.Table:
    return pa.ipc.open_stream(content).read_all()

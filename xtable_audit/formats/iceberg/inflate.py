"""Inflates blocks of Avro files, and never beyond a limit, whatever they declare."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable
from io import BytesIO

import pyarrow as pa

CHECKSUM = 4
"""Bytes of the CRC after a snappy block (Avro specification, Optional Codecs: "the 4-byte, big-endian CRC32 checksum of
the uncompressed data in the block"). No other codec has one that the decoder does not compare."""
LZMA_MEMORY = 256 << 20


class Bomb(Exception):
    """More bytes than the limit."""


class Members(Exception):
    """More gzip members than the limit."""


def inflated(codec: str, content: bytes, limit: int) -> bytes:
    """The block's records. Raises Bomb above `limit` bytes, ValueError for an unknown codec or a broken block."""
    if codec not in CODECS:
        raise ValueError(f"its codec {codec} is none of {', '.join(CODECS)}")
    try:
        records = CODECS[codec](content, limit)
    except (zlib.error, lzma.LZMAError, EOFError, OSError, pa.ArrowException) as error:
        raise ValueError(f"a block cannot be inflated by {codec}: {error}") from error
    if len(records) > limit:
        raise Bomb
    return records


def _deflate(content: bytes, limit: int) -> bytes:
    stream = zlib.decompressobj(-zlib.MAX_WBITS)
    records = stream.decompress(content, limit + 1)
    if not stream.eof and len(records) <= limit:
        raise ValueError("a block is cut off inside its deflated bytes")
    return records


def _snappy(content: bytes, limit: int) -> bytes:
    """Raw snappy, which begins with the inflated size as a base-128 number, and the CRC of the inflated bytes."""
    size = sum((byte & 0x7F) << (7 * place) for place, byte in enumerate(_varint(content)))
    if size > limit:
        raise Bomb
    records = bytes(pa.Codec("snappy").decompress(content[:-CHECKSUM], size, asbytes=True))
    if zlib.crc32(records).to_bytes(CHECKSUM, "big") != content[-CHECKSUM:]:
        raise ValueError("a block inflated by snappy has another checksum than stands after it")
    return records


def _varint(content: bytes) -> bytes:
    end = next((place for place, byte in enumerate(content[:5]) if byte < 0x80), None)
    if end is None:
        raise ValueError("a block has no snappy size")
    return content[: end + 1]


def _zstandard(content: bytes, limit: int) -> bytes:
    with pa.CompressedInputStream(pa.BufferReader(content), "zstd") as stream:
        return bytes(stream.read(limit + 1))


def _bzip2(content: bytes, limit: int) -> bytes:
    return bz2.BZ2Decompressor().decompress(content, limit + 1)


def _xz(content: bytes, limit: int) -> bytes:
    return lzma.LZMADecompressor(memlimit=LZMA_MEMORY).decompress(content, limit + 1)


CODECS: dict[str, Callable[[bytes, int], bytes]] = {
    "null": lambda content, limit: content,
    "deflate": _deflate,
    "snappy": _snappy,
    "zstandard": _zstandard,
    "bzip2": _bzip2,
    "xz": _xz,
}
"""By their names in Avro files."""


def ungzipped(content: bytes, limit: int) -> bytes:
    """A gzip file's content, all its members. Raises Bomb above `limit` bytes, Members for too many members of few
    bytes, ValueError for a broken file.
    """
    found, place, members = BytesIO(), 0, 0
    while place < len(content):
        members += 1
        if members > most_members(limit):
            raise Members
        stream = zlib.decompressobj(16 + zlib.MAX_WBITS)
        while not stream.eof:
            piece = content[place : place + PIECE]
            if not piece:
                raise ValueError("it is cut off inside its gzip stream")
            try:
                found.write(stream.decompress(piece, limit + 1 - found.tell()))
            except zlib.error as error:
                raise ValueError(f"it cannot be inflated by gzip: {error}") from error
            if found.tell() > limit:
                raise Bomb
            place += len(piece) - len(stream.unused_data)
    return found.getvalue()


PIECE = 1 << 14
"""Bytes that are inflated at a time: zlib copies what is left of them after each member."""
A_MEMBER = 1 << 14
"""Least bytes of a member, on average, of a file near the limit. Those who write many put 64 KiB into each (bgzip)."""


def most_members(limit: int) -> int:
    return max(limit // A_MEMBER, 1)

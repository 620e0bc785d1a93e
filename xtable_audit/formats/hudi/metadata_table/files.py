"""The files of Hudi's metadata table: log files, and HFiles in their blocks. Their bytes come from strangers."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

# Bytes that are read from front to back. They come from strangers: what is not there is not read.

LONGEST = 10
"""Bytes of a number of variable length."""


class Cursor:
    """Each method raises ValueError where the bytes end too early."""

    def __init__(self, content: bytes, place: int = 0) -> None:
        self._content, self.place = content, place

    @property
    def is_done(self) -> bool:
        return self.place >= len(self._content)

    def take(self, size: int) -> bytes:
        if not 0 <= size <= len(self._content) - self.place:
            raise ValueError(f"{size:,} bytes are declared where {len(self._content) - self.place:,} are left")
        self.place += size
        return self._content[self.place - size : self.place]

    def unpack(self, form: str) -> int:
        """One number of that form of `struct`, big-endian."""
        (number,) = struct.unpack(f">{form}", self.take(struct.calcsize(f">{form}")))
        return int(number)

    def varint(self) -> int:
        """A number as Protocol Buffers and Avro write it, before any sign is taken out of it."""
        number = 0
        for place in range(LONGEST):
            byte = self.take(1)[0]
            number |= (byte & 0x7F) << (7 * place)
            if byte < 0x80:
                return number
        raise ValueError(f"a number has more than {LONGEST} bytes")

    def zigzag(self) -> int:
        """A number as Avro writes it."""
        number = self.varint()
        return (number >> 1) ^ -(number & 1)


# Log files of Hudi, whose blocks hold HFiles in the metadata table (Hudi spec, Log File Format).

MAGIC = b"#HUDI#"
COMMAND, DELETE, CORRUPT, AVRO, HFILE = range(5)
"""Kinds of blocks, by their places in HoodieLogBlockType."""
INSTANT, TARGET, SCHEMA = range(3)
"""Keys of a block's header, by their places in HeaderMetadataType."""
MOST = 64
"""Entries of a header."""


@dataclass(frozen=True)
class LogBlock:
    kind: int
    instant: str
    """Of the write that left it."""
    target: str
    """The instant that a command to roll back is about."""
    schema: str
    content: bytes


def blocks_in(content: bytes) -> Iterator[LogBlock]:
    """The blocks, in order. Raises ValueError for what is no log file, or is cut off."""
    cursor = Cursor(content)
    while not cursor.is_done:
        if cursor.take(len(MAGIC)) != MAGIC:
            raise ValueError("a block does not begin as those of a log file")
        block = Cursor(cursor.take(cursor.unpack("q")))
        version = block.unpack("i")
        if version != 1:
            raise ValueError(f"a block is of version {version}, which is not read")
        kind = block.unpack("i")
        header = _header(block)
        yield LogBlock(
            kind, header.get(INSTANT, ""), header.get(TARGET, ""), header.get(SCHEMA, ""), block.take(block.unpack("q"))
        )


def _header(block: Cursor) -> dict[int, str]:
    entries = block.unpack("i")
    if not 0 <= entries <= MOST:
        raise ValueError(f"a header has {entries} entries")
    return {block.unpack("i"): block.take(block.unpack("i")).decode("utf-8") for _ in range(entries)}


# HFiles, the key-value files of HBase, as Hudi writes them (HBase reference guide, HFile format, version 3).

TRAILER = 4096
"""Bytes at the end of a file of version 3."""
TRAILER_MAGIC = b'TRABLK"$'
DATA, INFO, META = b"DATABLK*", b"FILEINF2", b"METABLKc"
HEADER = 33
"""Bytes of a block's header, with checksums."""
GZIP, PLAIN = 1, 2
"""Codecs by their numbers in the trailer (Compression.Algorithm)."""
INFO_OFFSET, CODEC = 1, 12
"""Numbers of fields of the trailer (HFile.proto, FileTrailerProto)."""
VERSION, TAGS, OWN_SCHEMA = b"KEY_VALUE_VERSION", b"hfile.MAX_TAGS_LEN", b"schema"
LARGEST = 256 << 20
"""Bytes that one block may inflate to."""


@dataclass(frozen=True)
class KeyValue:
    key: bytes
    value: bytes


def is_hfile(content: bytes) -> bool:
    return content[-TRAILER:].startswith(TRAILER_MAGIC)


def pairs_in(content: bytes) -> tuple[tuple[KeyValue, ...], str]:
    """The keys with their values, in order, and the Avro schema of the values. Raises ValueError for what is no HFile.

    Hudi keeps the schema in the file's info.
    """
    if not is_hfile(content):
        raise ValueError("it does not end as an HFile of version 3")
    trailer = _message(Cursor(content, len(content) - TRAILER + len(TRAILER_MAGIC)))
    codec = _number(trailer, CODEC)
    if codec not in (GZIP, PLAIN):
        raise ValueError(f"its blocks are compressed by codec {codec}, which is not read")
    blocks = list(_blocks(content[:-TRAILER], codec))
    info = _info(next((block for kind, block in blocks if kind == INFO), b""))
    has_times, has_tags = info.get(VERSION, b"\0")[-1:] == b"\1", TAGS in info
    found = (pair for kind, block in blocks if kind == DATA for pair in _pairs(block, has_times, has_tags))
    return tuple(found), info.get(OWN_SCHEMA, b"").decode("utf-8")


def _blocks(content: bytes, codec: int) -> Iterator[tuple[bytes, bytes]]:
    """The kind of each block, and what data, meta and info blocks hold."""
    cursor = Cursor(content)
    while not cursor.is_done:
        kind = cursor.take(8)
        stored, inflated = cursor.unpack("i"), cursor.unpack("i")
        cursor.take(8 + 1 + 4)  # the place of the block before, the kind of checksum, bytes of each
        with_header = cursor.unpack("i")
        body = cursor.take(stored)[: with_header - HEADER]
        if kind in (DATA, INFO, META):
            yield kind, _inflated(body, inflated) if codec == GZIP else body


def _inflated(body: bytes, size: int) -> bytes:
    if not 0 <= size <= LARGEST:
        raise ValueError(f"a block of {size:,} bytes is not read")
    try:
        return zlib.decompressobj(wbits=31).decompress(body, size or 1)
    except zlib.error as error:
        raise ValueError(f"a block cannot be inflated: {error}") from error


def _info(block: bytes) -> dict[bytes, bytes]:
    cursor = Cursor(block)
    if cursor.take(4) != b"PBUF":
        raise ValueError("its info is not of Protocol Buffers")
    entries = _message(cursor).get(1, [])
    both = (dict(_fields(Cursor(entry))) for entry in entries if isinstance(entry, bytes))
    return {
        bytes(one[1]): bytes(one[2]) for one in both if isinstance(one.get(1), bytes) and isinstance(one.get(2), bytes)
    }


Field = int | bytes


def _message(cursor: Cursor) -> Mapping[int, list[Field]]:
    """The fields of a message that its length precedes."""
    found: dict[int, list[Field]] = {}
    for number, value in _fields(Cursor(cursor.take(cursor.varint()))):
        found.setdefault(number, []).append(value)
    return found


def _fields(cursor: Cursor) -> Iterator[tuple[int, Field]]:
    while not cursor.is_done:
        tag = cursor.varint()
        match tag & 7:
            case 0:
                yield tag >> 3, cursor.varint()
            case 1:
                yield tag >> 3, cursor.take(8)
            case 2:
                yield tag >> 3, cursor.take(cursor.varint())
            case 5:
                yield tag >> 3, cursor.take(4)
            case other:
                raise ValueError(f"a field of Protocol Buffers is of kind {other}")


def _number(message: Mapping[int, list[Field]], field: int) -> int:
    found = message.get(field, [0])[-1]
    return found if isinstance(found, int) else 0


def _pairs(block: bytes, has_times: bool, has_tags: bool) -> Iterator[KeyValue]:
    """Of a data block: a key has a row, a family, a qualifier, a time and a kind, of which Hudi uses the row."""
    cursor = Cursor(block)
    while not cursor.is_done:
        key_size, value_size = cursor.unpack("i"), cursor.unpack("i")
        key = Cursor(cursor.take(key_size))
        row = key.take(key.unpack("H"))
        value = cursor.take(value_size)
        if has_tags:
            cursor.take(cursor.unpack("H"))
        if has_times:
            _skip_writable_long(cursor)
        yield KeyValue(row, value)


def _skip_writable_long(cursor: Cursor) -> None:
    """A number as Hadoop's WritableUtils writes it."""
    first = cursor.unpack("b")
    if first < -112:
        cursor.take(-(first + 120) if first < -120 else -(first + 112))

"""Avro of strangers within bounds: what a schema weighs before a decoder builds it, what a block may inflate to."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

import pyarrow as pa
from isal import isal_zlib

DEEPEST = 64
"""Levels of nesting. A manifest has eight, and the rows in a delete file as many as the table."""
MOST_FIELDS = 20_000
"""Fields, with those of a named type counted wherever it is used."""
LARGEST_FIXED = 1 << 20
"""Bytes of a value of fixed size, which a decoder also reserves for null."""
LEAST = {"null": 0, "boolean": 1, "int": 1, "long": 1, "float": 4, "double": 8, "bytes": 1, "string": 1}
"""Bytes of the shortest value, encoded (Avro specification, Binary Encoding)."""
WIDE = {"null": 0, "boolean": 1, "int": 4, "long": 8, "float": 4, "double": 8, "bytes": 4, "string": 4}
"""Bytes of a value in Arrow, without those that the encoding holds too."""


@dataclass(frozen=True)
class Weight:
    """`least`: encoded bytes of the shortest value. `width`: bytes of any value in Arrow, null or not, without what
    varies. `growth`: the most Arrow bytes for one encoded byte inside arrays. `fields`: the fields inside."""

    least: int
    width: int
    growth: float = 0.0
    fields: int = 0

    def most(self, records: int, size: int) -> float:
        """The most bytes that records of so many encoded bytes take in Arrow."""
        return records * self.width + size * (1 + self.growth)


@dataclass
class _Weighing:
    named: dict[str, Weight] = field(default_factory=dict)
    open: set[str] = field(default_factory=set)


def weigh(schema: Any) -> Weight:
    """Raises ValueError for a schema that no table needs: too deep, too wide, or one that contains itself."""
    return _weigh(schema, _Weighing(), 0)


def _weigh(schema: Any, seen: _Weighing, depth: int) -> Weight:
    if depth > DEEPEST:
        raise ValueError(f"its schema is nested deeper than {DEEPEST} levels")
    if isinstance(schema, list):
        weight = _together([_weigh(branch, seen, depth + 1) for branch in schema], least=1)
    elif isinstance(schema, str):
        weight = _of_name(schema, seen)
    elif isinstance(schema, Mapping):
        weight = _of_object(schema, seen, depth)
    else:
        raise ValueError(f"its schema has a type that is none: {str(schema)[:40]}")
    if weight.fields > MOST_FIELDS:
        raise ValueError(f"its schema has more than {MOST_FIELDS:,} fields")
    return weight


def _of_name(name: str, seen: _Weighing) -> Weight:
    if name in LEAST:
        return Weight(LEAST[name], WIDE[name])
    short = name.rpartition(".")[2]
    if short in seen.open:
        raise ValueError(f"its schema contains itself, in {short}")
    if short not in seen.named:
        raise ValueError(f"its schema names a type {short} that it does not define")
    return seen.named[short]


def _of_object(schema: Mapping[str, Any], seen: _Weighing, depth: int) -> Weight:
    kind = schema.get("type")
    if kind == "array":
        return _repeated(_weigh(schema.get("items"), seen, depth + 1))
    if kind == "map":
        value = _weigh(schema.get("values"), seen, depth + 1)
        return _repeated(Weight(value.least + 1, value.width + 8, value.growth, value.fields + 1))
    if kind in ("record", "error"):
        return _named(schema, seen, lambda: _of_record(schema, seen, depth))
    if kind == "fixed":
        return _named(schema, seen, lambda: _of_fixed(schema))
    if kind == "enum":
        return _named(schema, seen, lambda: Weight(1, 8))
    return _weigh(kind, seen, depth + 1)


def _named(schema: Mapping[str, Any], seen: _Weighing, weight: Any) -> Weight:
    name = str(schema.get("name", "")).rpartition(".")[2]
    if name in seen.open:
        raise ValueError(f"its schema defines {name} inside itself")
    seen.open.add(name)
    found: Weight = weight()
    seen.open.remove(name)
    seen.named[name] = found
    return found


def _of_record(schema: Mapping[str, Any], seen: _Weighing, depth: int) -> Weight:
    fields = schema.get("fields")
    if not isinstance(fields, list) or not all(isinstance(one, Mapping) for one in fields):
        raise ValueError("its schema has a record without fields")
    if len({"field-id" in one for one in fields}) > 1:
        lacking = next(one.get("name") for one in fields if "field-id" not in one)
        raise ValueError(f"its schema has no field-id for {str(lacking)[:40]}")
    parts = [_weigh(one.get("type"), seen, depth + 1) for one in fields]
    for one in fields:
        if "field-id" in one and _lacks_element_id(one.get("type")):
            raise ValueError(f"its schema has no element-id for {str(one.get('name'))[:40]}")
    return _together(parts, least=sum(part.least for part in parts))


def _lacks_element_id(kind: Any) -> bool:
    """Whether a list has no id for its elements, which Avro files of Iceberg must store (spec, Appendix A, Field IDs).

    A map whose keys are no strings is an array too, with the ids in its records.
    """
    if isinstance(kind, list):
        return any(map(_lacks_element_id, kind))
    if not isinstance(kind, Mapping) or kind.get("type") != "array":
        return False
    return ("element-id" not in kind and kind.get("logicalType") != "map") or _lacks_element_id(kind.get("items"))


def _together(parts: list[Weight], least: int) -> Weight:
    return Weight(
        least,
        sum(part.width for part in parts) + 1,
        max((part.growth for part in parts), default=0.0),
        sum(part.fields + 1 for part in parts),
    )


def _of_fixed(schema: Mapping[str, Any]) -> Weight:
    size = schema.get("size")
    if not isinstance(size, int) or not 0 <= size <= LARGEST_FIXED:
        raise ValueError(f"its schema has values of a fixed size that no table has: {str(size)[:40]}")
    return Weight(size, max(size, 16))


def _repeated(item: Weight) -> Weight:
    if item.least == 0:
        raise ValueError("its schema has an array of items that take no bytes")
    return Weight(1, 4, max(item.growth, item.width / item.least), item.fields + 1)


CHECKSUM = 4
"""Bytes of the CRC after a snappy block (Avro specification, Optional Codecs: "the 4-byte, big-endian CRC32 checksum of
the uncompressed data in the block"). No other codec has one that the decoder does not compare."""
LZMA_MEMORY = 256 << 20


class Bomb(Exception):
    """More bytes than the limit."""


class Members(Exception):
    """More gzip members than the limit."""


ISAL_ERROR: type[Exception] = isal_zlib.error  # type: ignore[assignment]  # its stub has an instance
BROKEN = (ISAL_ERROR, lzma.LZMAError, EOFError, OSError, pa.ArrowException)
"""What codecs raise for a block that is broken."""


def inflated(codec: str, content: bytes, limit: int) -> bytes:
    """The block's records. Raises Bomb above `limit` bytes, ValueError for an unknown codec or a broken block."""
    if codec not in CODECS:
        raise ValueError(f"its codec {codec} is none of {', '.join(CODECS)}")
    try:
        records = CODECS[codec](content, limit)
    except BROKEN as error:
        raise ValueError(f"a block cannot be inflated by {codec}: {error}") from error
    if len(records) > limit:
        raise Bomb
    return records


def _deflate(content: bytes, limit: int) -> bytes:
    """By ISA-L, in less than half of the time of zlib, which took a quarter of reading a large table's metadata."""
    stream = isal_zlib.decompressobj(-isal_zlib.MAX_WBITS)
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

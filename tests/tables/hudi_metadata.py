"""Writes files of Hudi's metadata table anew, record by record, by another library for Avro than the judge's reader."""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import fastavro

from xtable_audit.formats.hudi.metadata_table.files import (
    DATA,
    HEADER,
    HFILE,
    INFO,
    MAGIC,
    TRAILER,
    TRAILER_MAGIC,
    blocks_in,
    pairs_in,
)

Records = dict[bytes, dict[str, Any]]
PLAIN = 2
"""The codec of no compression."""


def change(table: Path, partition: str, edit: Callable[[Records], None]) -> int:
    """Lets `edit` change the records of each block in the partition's logs; returns how many blocks it changed."""
    changed = 0
    for log in sorted((table / ".hoodie/metadata" / partition).glob(".*.log.*")):
        if log.suffix == ".crc":
            continue
        written = b""
        for block in blocks_in(log.read_bytes()):
            content = block.content
            if block.kind == HFILE:
                pairs, schema = pairs_in(content)
                parsed = fastavro.parse_schema(json.loads(schema or block.schema))
                records = {one.key: _read(parsed, one.value) for one in pairs}
                before = repr(records)
                edit(records)
                changed += repr(records) != before
                content = hfile({key: _written(parsed, one) for key, one in records.items()}, schema or block.schema)
            written += _block(block.kind, {0: block.instant, 1: block.target, 2: block.schema}, content)
        log.write_bytes(written)
    return changed


def _read(schema: Any, content: bytes) -> dict[str, Any]:
    found = fastavro.schemaless_reader(
        io.BytesIO(content), schema, None, return_record_name=True, return_record_name_override=True
    )
    assert isinstance(found, dict)
    return found


def _written(schema: Any, record: Mapping[str, Any]) -> bytes:
    stream = io.BytesIO()
    fastavro.schemaless_writer(stream, schema, record)
    return stream.getvalue()


def _block(kind: int, header: Mapping[int, str], content: bytes) -> bytes:
    """A block of a log file, of version 1."""
    said = {number: text.encode() for number, text in header.items() if text}
    entries = b"".join(struct.pack(">ii", number, len(text)) + text for number, text in said.items())
    inside = struct.pack(">iii", 1, kind, len(said)) + entries + struct.pack(">q", len(content)) + content
    inside += struct.pack(">i", 0)
    whole = len(MAGIC) + 8 + len(inside) + 8
    return MAGIC + struct.pack(">q", len(inside) + 8) + inside + struct.pack(">q", whole)


def hfile(values: Mapping[bytes, bytes], schema: str) -> bytes:
    """An HFile of version 3, of one data block that is not compressed, keys in their order."""
    pairs = b"".join(_pair(key, value) for key, value in sorted(values.items()))
    info = _field(1, _field(1, b"schema") + _field(2, schema.encode()))
    blocks = _stored(DATA, pairs) + _stored(INFO, b"PBUF" + _varint(len(info)) + info)
    trailer = _varint(12 << 3) + _varint(PLAIN)
    end = TRAILER_MAGIC + _varint(len(trailer)) + trailer
    return blocks + end.ljust(TRAILER - 4, b"\0") + struct.pack(">i", 3)


def _stored(kind: bytes, content: bytes) -> bytes:
    header = struct.pack(">ii", len(content), len(content)) + b"\xff" * 8 + b"\0" + struct.pack(">i", 0)
    return kind + header + struct.pack(">i", len(content) + HEADER) + content


def _pair(key: bytes, value: bytes) -> bytes:
    inside = struct.pack(">H", len(key)) + key + b"\0" + b"\x7f" * 8 + b"\x04"
    return struct.pack(">ii", len(inside), len(value)) + inside + value


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(number: int) -> bytes:
    found = b""
    while number >= 0x80:
        found += bytes([number & 0x7F | 0x80])
        number >>= 7
    return found + bytes([number])

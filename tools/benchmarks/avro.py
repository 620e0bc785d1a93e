"""Encodes Arrow columns as Avro records (Avro specification, Binary Encoding), without a Python loop over records."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.formats.iceberg.avro import SYNC_BYTES

LONGEST = 10
"""Bytes of an encoded long."""
BLOCK = 64_000
"""Bytes of a block's records, about: the default of Avro's Java library, which Iceberg keeps."""
LEVEL = 1
"""Of deflate."""


def encode(schema: Mapping[str, Any], records: pa.StructArray) -> pa.BinaryArray:
    """One binary value for each record."""
    return _encode(schema, records)


def blocks(encoded: pa.BinaryArray, sync: bytes) -> bytes:
    """Encoded records as deflated blocks of a container file whose header has their schema and this sync marker."""
    assert len(sync) == SYNC_BYTES
    ends = np.frombuffer(encoded.buffers()[1], np.int32)[encoded.offset : encoded.offset + len(encoded) + 1]
    every = max(1, BLOCK * len(encoded) // max(1, int(ends[-1] - ends[0])))
    content, parts = memoryview(encoded.buffers()[2]), []
    for first in range(0, len(encoded), every):
        last = min(first + every, len(encoded))
        deflated = _deflate(content[ends[first] : ends[last]])
        parts += [*_numbers(np.array([last - first, len(deflated)])).to_pylist(), deflated, sync]
    return b"".join(parts)


def _deflate(content: memoryview) -> bytes:
    stream = zlib.compressobj(LEVEL, wbits=-zlib.MAX_WBITS)
    return stream.compress(content) + stream.flush()


def _encode(schema: Any, values: pa.Array) -> pa.BinaryArray:
    if isinstance(schema, list):
        assert schema[0] == "null", f"a union that begins with no null: {schema}"
        absent, some = pa.scalar(b"\0", pa.binary()), pa.scalar(b"\2", pa.binary())
        if values.null_count == len(values):
            return pa.repeat(absent, len(values))
        return pc.if_else(values.is_valid(), _joined(some, _encode(schema[1], _filled(values))), absent)
    kind = schema["type"] if isinstance(schema, dict) else schema
    if kind == "record":
        fields = schema["fields"]
        if not fields:
            return pa.repeat(pa.scalar(b"", pa.binary()), len(values))
        return _joined(*(_encode(field["type"], values.field(field["name"])) for field in fields))
    if kind == "array":
        items, counts = _encode(schema["items"], values.flatten()), pc.list_value_length(values)
        lists = pa.ListArray.from_arrays(values.offsets, items)
        some = _joined(_numbers(np.asarray(counts)), pc.binary_join(lists, b""), pa.scalar(b"\0", pa.binary()))
        return pc.if_else(pc.equal(counts, 0), pa.scalar(b"\0", pa.binary()), some)
    if kind in ("int", "long"):
        return _numbers(np.asarray(values))
    if kind in ("string", "bytes"):
        return _joined(_numbers(np.asarray(pc.binary_length(values))), values.cast(pa.binary()))
    raise TypeError(f"no encoding for {schema}")


def _joined(*parts: pa.Array | pa.Scalar) -> pa.BinaryArray:
    return pc.binary_join_element_wise(*parts, pa.scalar(b"", pa.binary()))


def _filled(values: pa.Array) -> pa.Array:
    """The values, with any value for null."""
    if pa.types.is_list(values.type):
        return pa.ListArray.from_arrays(values.offsets, values.values)
    return values.fill_null("" if pa.types.is_string(values.type) else 0)


def _numbers(numbers: np.ndarray[Any, np.dtype[Any]]) -> pa.BinaryArray:
    """Zigzag, then seven bits a byte, the lowest first."""
    signed = numbers.astype(np.int64)
    left = ((signed << 1) ^ (signed >> 63)).astype(np.uint64)
    shifts = np.arange(LONGEST, dtype=np.uint64) * np.uint64(7)
    groups = left[:, None] >> shifts
    there = groups > 0
    there[:, 0] = True
    more = np.zeros_like(there)
    more[:, :-1] = there[:, 1:]
    encoded = (groups & np.uint64(0x7F)).astype(np.uint8) | (more.astype(np.uint8) << 7)
    ends = np.concatenate([[0], np.cumsum(there.sum(axis=1))]).astype(np.int32)
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(encoded[there])]
    return pa.Array.from_buffers(pa.binary(), len(numbers), buffers)

"""Deletion vectors as Iceberg's Puffin files and Delta's files hold them: 64-bit Roaring bitmaps, framed alike."""

from __future__ import annotations

import zlib

import numpy as np

from xtable_audit.model.malformed import Malformed, TooLarge, first_line
from xtable_audit.model.wanted import Positions

VECTOR = b"\xd1\xd3\x39\x64"
"""Magic of a vector."""
LENGTH = 4
"""Bytes of the length before the magic, and of the checksum after the vector."""
MOST = 1 << 28
"""Positions of one vector. A run of a few bytes may hold 65,536, so the size of a vector limits nothing."""


def framed_vector(path: str, raw: bytes, offset: int, length: int) -> bytes:
    """The vector in these bytes `raw`, the `length` from byte `offset` of a file (Puffin specification,
    deletion-vector-v1; Delta protocol, Deletion Vector File Storage Format). Raises Malformed unless they are one.
    """
    vector, checksum = raw[LENGTH:-LENGTH], raw[-LENGTH:]
    framed = int.from_bytes(raw[:LENGTH], "big") == len(vector) and vector.startswith(VECTOR)
    if offset < 0 or len(raw) < length or not framed or zlib.crc32(vector).to_bytes(LENGTH, "big") != checksum:
        raise Malformed(path, f"holds no deletion vector in the {length} bytes from byte {offset}")
    return vector


def positions_in(path: str, vector: bytes) -> Positions:
    """The positions of a vector with its magic, in order. Raises Malformed, TooLarge for more than any file has."""
    from pyroaring import BitMap64  # late: few tables have any

    if not vector.startswith(VECTOR):
        raise Malformed(path, f"holds a deletion vector that starts with {vector[:LENGTH]!r}, not {VECTOR!r}")
    try:
        found = BitMap64.deserialize(vector[len(VECTOR) :])
        if len(found) > MOST:
            raise TooLarge(path, f"holds a deletion vector of {len(found):,} rows, more than is read")
        return np.fromiter(found, np.int64, len(found))
    except (ValueError, IndexError, OverflowError) as error:
        raise Malformed(path, f"holds a broken deletion vector: {first_line(error)}") from error

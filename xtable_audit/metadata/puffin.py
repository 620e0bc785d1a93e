"""Deletion vectors in Puffin files, read at the place that a manifest names, as readers do (Puffin specification)."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import numpy as np

from xtable_audit.model.malformed import Malformed, first_line
from xtable_audit.model.wanted import Positions

if TYPE_CHECKING:
    from pyiceberg.table.puffin import PuffinBlobMetadata, PuffinFile

VECTOR = b"\xd1\xd3\x39\x64"
"""Magic of a vector."""
LENGTH = 4
"""Bytes of the length before the magic, and of the checksum after the vector."""
REFERENCED, CARDINALITY = "referenced-data-file", "cardinality"
"""Properties of a vector's blob."""
TRAILER = 12
"""Bytes of payload size, flags and magic at the end of a file."""
MAGIC = 4


def read_puffin(path: str, content: bytes) -> PuffinFile:
    """The file, with its footer. Raises Malformed."""
    from pyiceberg.table.puffin import PuffinFile  # late: few tables have any

    try:
        return PuffinFile(content)
    except ValueError as error:
        raise Malformed(path, f"is not a Puffin file: {first_line(error)}") from error


def footer_size(content: bytes) -> int:
    """Bytes of the whole footer, with its magics, size and flags (Puffin specification, Footer structure)."""
    payload = int.from_bytes(content[-TRAILER : -TRAILER + LENGTH], "little", signed=True)
    return MAGIC + payload + TRAILER


def blob_at(file: PuffinFile, offset: int | None, length: int | None) -> PuffinBlobMetadata | None:
    """The blob that begins there and is as long."""
    return next((blob for blob in file.footer.blobs if (blob.offset, blob.length) == (offset, length)), None)


def vector_at(path: str, content: bytes, offset: int, length: int) -> Positions:
    """The positions of the vector in these bytes of a Puffin file. Raises Malformed unless they are exactly one."""
    from pyiceberg.table.deletion_vector import deletion_vectors_from_puffin_file  # late: few tables have any
    from pyiceberg.table.puffin import Footer, PuffinBlobMetadata

    raw = content[offset : offset + length]
    vector, checksum = raw[LENGTH:-LENGTH], raw[-LENGTH:]
    framed = int.from_bytes(raw[:LENGTH], "big") == len(vector) and vector.startswith(VECTOR)
    if offset < 0 or len(raw) < length or not framed or zlib.crc32(vector).to_bytes(LENGTH, "big") != checksum:
        raise Malformed(path, f"holds no deletion vector in the {length} bytes from byte {offset}")
    file = read_puffin(path, content)
    told = {"type": "", "fields": [], "snapshot-id": -1, "sequence-number": -1, "properties": {REFERENCED: path}}
    blob = PuffinBlobMetadata.model_validate(told | {"offset": offset, "length": length})
    file.footer = Footer(blobs=[blob])
    try:
        [found] = deletion_vectors_from_puffin_file(file)
        return np.asarray(found.to_vector(), np.int64)
    except ValueError as error:
        raise Malformed(path, f"holds a broken deletion vector: {first_line(error)}") from error

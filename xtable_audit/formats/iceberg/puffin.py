"""Deletion vectors in Puffin files, read at the place that a manifest names, as readers do (Puffin specification)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xtable_audit.model.malformed import Malformed, first_line
from xtable_audit.model.wanted import Positions
from xtable_audit.values.roaring import LENGTH, framed_vector, positions_in

if TYPE_CHECKING:
    from pyiceberg.table.puffin import PuffinBlobMetadata, PuffinFile

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
    vector = framed_vector(path, content[offset : offset + length], offset, length)
    read_puffin(path, content)
    return positions_in(path, vector)

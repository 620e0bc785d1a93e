"""Deletion vectors of Delta: where one lies, and the rows that it removes (Delta protocol, Deletion Vectors)."""

from __future__ import annotations

import base64
import string
from typing import Literal
from urllib.parse import unquote
from uuid import UUID

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from xtable_audit.formats.folder import TableFolder
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.wanted import Positions
from xtable_audit.values.roaring import LENGTH, framed_vector, positions_in

UUID_LETTERS = 20
"""Letters of a UUID in Base85. What precedes them is a folder."""
Z85 = f"{string.digits}{string.ascii_lowercase}{string.ascii_uppercase}.-:+=^!/*?&<>()[]{{}}@%$#"
RFC_1924 = f"{string.digits}{string.ascii_uppercase}{string.ascii_lowercase}!#$%&()*+-;<=>?@^_`{{|}}~"
"""The alphabets of ZeroMQ's Base85, which Delta uses, and of Python's."""
FRAME = 2 * LENGTH
"""Bytes around a vector in a file."""
TO_PYTHONS = str.maketrans(Z85, RFC_1924)


class VectorDescriptor(BaseModel):
    """What an action says of its file's deletion vector."""

    model_config = ConfigDict(alias_generator=to_camel, strict=True, frozen=True)
    storage_type: Literal["u", "i", "p"]
    """Beside the table's data by a UUID, in the log itself, or at an address."""
    path_or_inline_dv: str
    offset: int | None = None
    size_in_bytes: int | None = None
    cardinality: int | None = None
    """Rows that it removes."""

    @property
    def unique_id(self) -> str:
        """By which the log tells one vector of a file from another."""
        place = "" if self.offset is None else f"@{self.offset}"
        return f"{self.storage_type}{self.path_or_inline_dv}{place}"

    def address(self, folder: TableFolder) -> str | None:
        """Where its file is; None if it is in the log. Raises ValueError if its name is no UUID."""
        if self.storage_type == "i":
            return None
        if self.storage_type == "p":
            return folder.address(unquote(self.path_or_inline_dv))
        prefix, id = self.path_or_inline_dv[:-UUID_LETTERS], self.path_or_inline_dv[-UUID_LETTERS:]
        return folder.uri(f"{prefix}/deletion_vector_{UUID(bytes=from_z85(id))}.bin".lstrip("/"))

    def positions(self, folder: TableFolder) -> Positions:
        """The rows that it removes, from 0 on, in order. Raises Malformed; nothing outside the table is opened."""
        try:
            address = self.address(folder)
            if address is None:
                return positions_in(folder.root, from_z85(self.path_or_inline_dv)[: self.size_in_bytes])
        except ValueError as error:
            raise Malformed(folder.root, f"has a deletion vector that is not Delta's: {error}") from error
        if not folder.holds(address):
            raise Malformed(address, "is a deletion vector outside the table, and is not read")
        content, offset = folder.read(folder.name(address)), self.offset or 0
        length = (self.size_in_bytes or 0) + FRAME
        return positions_in(address, framed_vector(address, content[offset : offset + length], offset, length))


def from_z85(text: str) -> bytes:
    """The bytes of a text in ZeroMQ's Base85. Raises ValueError."""
    if set(text) - set(Z85) or len(text) % 5:
        raise ValueError(f"{text[:40]!r} is no Base85")
    return base64.b85decode(text.translate(TO_PYTHONS))

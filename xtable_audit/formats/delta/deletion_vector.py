"""Deletion vectors of Delta, as actions describe them (Delta protocol, Deletion Vectors)."""

from __future__ import annotations

import base64
import string
from typing import Literal
from urllib.parse import unquote
from uuid import UUID

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from xtable_audit.formats.folder import TableFolder
from xtable_audit.model.scan_input import Vector
from xtable_audit.values.deleted_rows import LENGTH

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

    def vector(self, folder: TableFolder, log: str) -> Vector:
        """Where it is: in the file `log` itself, or in one of its own. Raises ValueError for a name that is no UUID, or
        a text that is no Base85.
        """
        if self.storage_type == "i":
            return Vector(log, inline=from_z85(self.path_or_inline_dv)[: self.size_in_bytes])
        return Vector(self._address(folder), self.offset or 0, (self.size_in_bytes or 0) + FRAME)

    def _address(self, folder: TableFolder) -> str:
        if self.storage_type == "p":
            return folder.address(unquote(self.path_or_inline_dv))
        prefix, id = self.path_or_inline_dv[:-UUID_LETTERS], self.path_or_inline_dv[-UUID_LETTERS:]
        return folder.uri(f"{prefix}/deletion_vector_{UUID(bytes=from_z85(id))}.bin".lstrip("/"))


def from_z85(text: str) -> bytes:
    """The bytes of a text in ZeroMQ's Base85. Raises ValueError."""
    if set(text) - set(Z85) or len(text) % 5:
        raise ValueError(f"{text[:40]!r} is no Base85")
    return base64.b85decode(text.translate(TO_PYTHONS))

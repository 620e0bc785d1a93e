"""A row in Paimon's binary form, as manifests hold partitions and statistics (Paimon, BinaryRow, SerializationUtils).

Four bytes with the number of fields come first. Then a bit a field that says whether it is null, after eight bits of a
header and filled up to whole words of eight bytes; then a word a field, which holds small values themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

HEADER = 8
"""Bits before those of nulls."""
WORD = 8
"""Bytes."""
NUMBER = 4
"""Bytes of the number of fields."""


@dataclass(frozen=True)
class BinaryRow:
    content: bytes

    EMPTY: ClassVar[BinaryRow]

    @property
    def fields(self) -> int:
        return int.from_bytes(self.content[:NUMBER], "big")

    def is_null(self, field: int) -> bool:
        """Raises ValueError for a row that is too short."""
        byte, bit = divmod(field + HEADER, 8)
        return bool(self._bytes(byte, 1)[0] >> bit & 1)

    def integer(self, field: int, width: int) -> int:
        """A signed integer of so many bytes. Raises ValueError for a row that is too short."""
        words_of_nulls = (self.fields + HEADER + 63) // 64
        return int.from_bytes(self._bytes((words_of_nulls + field) * WORD, width), "little", signed=True)

    def _bytes(self, start: int, length: int) -> bytes:
        found = self.content[NUMBER + start : NUMBER + start + length]
        if len(found) < length:
            raise ValueError(f"a row of {self.fields} fields has {len(self.content)} bytes")
        return found


BinaryRow.EMPTY = BinaryRow(bytes(NUMBER))

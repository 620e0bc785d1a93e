"""Bytes that are read from front to back. They come from strangers: what is not there is not read."""

from __future__ import annotations

import struct

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

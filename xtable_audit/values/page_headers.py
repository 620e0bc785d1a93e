"""What a page of a Parquet file claims of its size: its header, in Thrift's compact protocol."""

from __future__ import annotations

import re
from functools import lru_cache

INFLATED, DEFLATED = 2, 3
"""Fields of PageHeader (parquet.thrift)."""
TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
"""Types of Thrift's compact protocol."""
DEEPEST = 8


def _short(*kinds: int) -> bytes:
    """A field of one of these types, within 15 of the one before it."""
    return b"[%s]" % b"".join(b"\\x%x%x" % (before, kind) for before in range(1, 16) for kind in kinds)


NUMBER = rb"[\x80-\xff]{0,9}[\x00-\x7f]"
TEXT = b"(?:%s)" % b"|".join(b"\\x%02x.{%d}" % (length, length) for length in range(65))
FLAT = b"%s|%s%s|%s%s" % (_short(TRUE, FALSE), _short(I16, I32, I64), NUMBER, _short(BINARY), TEXT)
INSIDE = rb"(?:%s|%s(?:%s)*+\x00)*+\x00" % (FLAT, _short(STRUCT), FLAT)
USUAL = re.compile(
    rb"\x15%s\x15(%s)\x15(%s)(?:\x15%s)?+%s%s\x00" % (NUMBER, NUMBER, NUMBER, NUMBER, _short(STRUCT), INSIDE), re.S
)
"""A header as writers write it: type, sizes, perhaps a checksum, and what is of its type. Found four times as fast."""


def page_sizes(content: bytes | memoryview, place: int) -> tuple[int, int, int]:
    """Of the page whose header begins there: inflated and deflated, and where the header ends.

    Raises IndexError or ValueError for what is no header.
    """
    if (usual := USUAL.match(content, place)) is None:
        return _header(content, place)
    return _number(usual[1]), _number(usual[2]), usual.end()


@lru_cache(1 << 12)
def _number(digits: bytes) -> int:
    """Pages of columns of one type have the same few sizes."""
    return _signed(_varint(digits, 0)[0])


def _signed(number: int) -> int:
    return (number >> 1) ^ -(number & 1)


def _header(content: bytes | memoryview, place: int) -> tuple[int, int, int]:
    """Sizes of the page, inflated and deflated, and where its header ends. Raises IndexError, ValueError."""
    inflated = deflated = field = 0
    depth = 1
    while depth:
        kind = content[place]
        place += 1
        if not kind:
            depth -= 1
            continue
        before, kind = kind >> 4, kind & 0x0F
        if not before:
            number, place = _varint(content, place)
        if depth == 1:
            field = field + before if before else _signed(number)
        if I16 <= kind <= I64:
            number = content[place]
            place += 1
            if number >= 0x80:
                number, place = _varint(content, place - 1)
            if depth == 1 and kind == I32:
                if field == INFLATED:
                    inflated = _signed(number)
                elif field == DEFLATED:
                    deflated = _signed(number)
        elif kind == STRUCT and depth < DEEPEST:
            depth += 1
        elif kind == BINARY:
            length, place = _varint(content, place)
            place += length
        elif kind in (BYTE, DOUBLE):
            place += 1 if kind == BYTE else 8
        elif kind not in (TRUE, FALSE):
            raise ValueError("a page's header has no such field")
    return inflated, deflated, place


def _varint(content: bytes | memoryview, place: int) -> tuple[int, int]:
    number = shift = 0
    while shift < 70:
        byte = content[place]
        number |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return number, place
    raise ValueError("no number")

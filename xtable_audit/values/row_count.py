"""The number of rows of a file whose values are not read: ORC and Avro."""

from __future__ import annotations

from io import BufferedReader

import pyarrow as pa

AVRO, ORC = "AVRO", "ORC"
AVRO_MAGIC = b"Obj\x01"
MAGIC = {AVRO_MAGIC: AVRO, b"ORC": ORC}
SYNC = 16
"""Bytes of an Avro file's sync marker."""
BUFFER = 1 << 20
"""Bytes that are fetched at a time."""
CUT_OFF = "it is cut off"
LONGEST = 10
"""Bytes of the longest Avro number."""


def rows_in(source: pa.NativeFile, format: str) -> int:
    """Raises ValueError or an Arrow error if the file is not of that format."""
    return _of_orc(source) if format == ORC else _of_avro(source)


def _of_orc(source: pa.NativeFile) -> int:
    """By the values of the first column, and not by the file's footer."""
    from pyarrow.orc import ORCFile  # late: few tables have any

    file = ORCFile(source)
    first = file.schema.names[:1]
    return sum(file.read_stripe(stripe, columns=first).num_rows for stripe in range(file.nstripes))


def _of_avro(source: pa.NativeFile) -> int:
    """By the headers of its blocks (Avro specification, Object Container Files)."""
    end: int = source.size()
    file = BufferedReader(source, BUFFER)
    file.seek(len(AVRO_MAGIC))
    while pairs := _number(file):
        if pairs < 0:
            _number(file)
        for _ in range(2 * abs(pairs)):
            _skip(file, _number(file), end)
    sync = file.read(SYNC)
    rows = 0
    while file.tell() < end:
        rows += _number(file)
        _skip(file, _number(file), end)
        if file.read(SYNC) != sync:
            raise ValueError("a block does not end in the sync marker")
    file.detach()
    return rows


def _skip(file: BufferedReader, size: int, end: int) -> None:
    place = file.tell() + size
    if size < 0 or place > end:
        raise ValueError(CUT_OFF)
    file.seek(place)


def _number(file: BufferedReader) -> int:
    """A long: groups of seven bits, the lowest first, zigzag."""
    number = 0
    for place in range(LONGEST):
        byte = file.read(1)
        if not byte:
            raise ValueError(CUT_OFF)
        number |= (byte[0] & 0x7F) << (7 * place)
        if byte[0] < 0x80:
            return (number >> 1) ^ -(number & 1)
    raise ValueError("it has a number of too many bytes")

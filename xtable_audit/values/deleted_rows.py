"""The live rows of a data file: rows that no position delete, deletion vector or equality delete removes."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa

from xtable_audit.model.malformed import Malformed, TooLarge, Unread, first_line
from xtable_audit.model.objects import Objects
from xtable_audit.model.scalars import Mask
from xtable_audit.model.scan_input import (
    NO_DELETES,
    DataFile,
    Deletes,
    EqualityDeletes,
    Positions,
    Vector,
    WantedColumn,
)
from xtable_audit.values.value_codes import combined, hashable, numbered

# Deletes by equality, joined by hash: thousands of them and the rows of thousands of files, not each with each.

FEW = 8
"""So many times fewer rows than keys are looked up one by one; more are numbered with all keys at once."""


def joined(columns: tuple[WantedColumn, ...], read: Sequence[tuple[int, pa.Table]]) -> EqualityDeletes:
    """The deletes of these sequence numbers as one; of a key that several delete, the latest."""
    keys = pa.concat_tables([table for _, table in read]).combine_chunks()
    sequences = np.repeat(np.array([number for number, _ in read], np.int64), [len(table) for _, table in read])
    if not columns:
        return EqualityDeletes(columns, keys, sequences)
    numbers, _ = combined([numbered(keys[one.path], keys[one.path].slice(0, 0)) for one in columns])
    order = np.lexsort((-sequences, numbers))
    latest = np.sort(order[np.diff(numbers[order], prepend=-1) > 0])
    return EqualityDeletes(columns, keys.take(pa.array(latest)), sequences[latest])


def removes(deletes: EqualityDeletes, sequences: Positions, values: Sequence[pa.Array]) -> Mask:
    """Marks the rows that are deleted. `sequences`: the number of each row's file; `values`: those of each column."""
    near = _index(deletes).near(values) if len(values[0]) * FEW < deletes.keys.num_rows else None
    keys = deletes.keys if near is None else deletes.keys.take(pa.array(near))
    mine, theirs = combined(
        [numbered(own, keys[column.path]) for own, column in zip(values, deletes.columns, strict=True)]
    )
    latest = np.full(len(mine) + len(theirs), -1)
    latest[theirs] = deletes.sequences if near is None else deletes.sequences[near]
    removed: Mask = latest[mine] > sequences
    return removed


class _Index:
    """The keys, sorted by their hash."""

    def __init__(self, deletes: EqualityDeletes) -> None:
        hashes = _hashes([deletes.keys[column.path] for column in deletes.columns])
        self._order = np.argsort(hashes, kind="stable")
        self._hashes = hashes[self._order]

    def near(self, values: Sequence[pa.Array]) -> Positions:
        """The rows of all keys that equal one of these rows, and perhaps of others."""
        asked = np.unique(_hashes(values))
        begins, ends = (np.searchsorted(self._hashes, asked, side) for side in ("left", "right"))
        found = np.flatnonzero(begins < ends).tolist()
        return np.concatenate([self._order[:0], *(self._order[begins[one] : ends[one]] for one in found)])


def _hashes(columns: Sequence[pa.Array | pa.ChunkedArray]) -> Positions:
    """Equal for equal rows, in this process."""
    rows = zip(*(hashable(values) for values in columns), strict=True)
    return np.fromiter(map(hash, rows), np.int64, len(columns[0]))


_INDEXES: WeakKeyDictionary[EqualityDeletes, _Index] = WeakKeyDictionary()
_LOCK = Lock()


def _index(deletes: EqualityDeletes) -> _Index:
    """It is made once, by whichever file is read first, and does not cross a process: hashes differ there."""
    with _LOCK:
        if deletes not in _INDEXES:
            _INDEXES[deletes] = _Index(deletes)
        return _INDEXES[deletes]


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


def with_vector(objects: Objects, file: DataFile) -> DataFile:
    """The file with the rows that its deletion vector removes as its deletes. Raises as `removed`."""
    return file if file.vector is None else replace(file, deletes=Deletes(removed(objects, file)), vector=None)


def removed(objects: Objects, file: DataFile) -> Positions:
    """The rows that the file's deletion vector removes. Raises Malformed of the file, Unread, Unreachable."""
    if file.vector is None:
        return NO_DELETES.positions
    try:
        return positions_of(objects, file.vector)
    except Malformed as error:
        kind, words = (Unread, "is not read") if isinstance(error, Unread) else (Malformed, "cannot be read")
        raise kind(file.path, f"has a deletion vector that {words}: {error}") from error


def positions_of(objects: Objects, vector: Vector) -> Positions:
    """The rows that it removes, from 0 on, in order. Raises Malformed, Unreachable."""
    path, offset, length = vector.path, vector.offset, vector.length
    if vector.inline is not None:
        return positions_in(path, vector.inline)
    return positions_in(path, framed_vector(path, objects.read(path, max(offset, 0), length), offset, length))


def live_rows(rows: int, first: int, deletes: Deletes, values: Callable[[WantedColumn], pa.Array]) -> Mask | None:
    """Marks the live rows among `rows` rows from row `first`; None if all are live.

    Null equals null (Iceberg spec, Equality Delete Files).
    """
    live = not_among(deletes.positions, rows, first)
    for one in deletes.equality:
        live &= ~removes(one, np.full(rows, deletes.sequence), [values(column) for column in one.columns])
    return None if live.all() else live


def not_among(deleted: Positions, rows: int, first: int) -> Mask:
    """Marks the rows among `rows` rows from row `first` whose position is not deleted."""
    live: Mask = np.ones(rows, dtype=bool)
    here = deleted[np.searchsorted(deleted, first) : np.searchsorted(deleted, first + rows)]
    live[here - first] = False
    return live

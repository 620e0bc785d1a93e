"""Deletes by equality, joined by hash: thousands of them and the rows of thousands of files, not each with each."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa

from xtable_audit.model.scalars import Mask
from xtable_audit.model.wanted import EqualityDeletes, Positions, WantedColumn
from xtable_audit.values.value_codes import combined, hashable, numbered

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


def removes(deletes: EqualityDeletes, sequence: int, values: Sequence[pa.Array]) -> Mask:
    """Marks the rows of a file of this sequence number that are deleted. `values`: those of each of the columns."""
    near = _index(deletes).near(values) if len(values[0]) * FEW < deletes.keys.num_rows else None
    sequences = deletes.sequences if near is None else deletes.sequences[near]
    keys = deletes.keys if near is None else deletes.keys.take(pa.array(near))
    later = keys.filter(pa.array(sequences > sequence))
    mine, gone = combined(
        [numbered(own, later[column.path]) for own, column in zip(values, deletes.columns, strict=True)]
    )
    return np.isin(mine, gone)


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

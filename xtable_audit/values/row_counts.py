"""Counts of rows of a data file: all of them, those out of order, and those with a null inside a required field."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from io import BufferedReader
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.model.scalars import Mask
from xtable_audit.model.scan_input import Shape, SortedBy
from xtable_audit.values.parquet import find_field

Counts = Iterator[tuple[str, int, int]]
"""Path of a required field, the number of its values where its parent is present, and how many are null."""


def demanding(shapes: tuple[Shape, ...]) -> tuple[Shape, ...]:
    """The columns with a required field inside."""
    return tuple(shape for shape in shapes if _demands(shape))


def _demands(shape: Shape) -> bool:
    return any(child.required or _demands(child) for child in shape.inside)


def nulls_inside(values: pa.Array, kind: pa.DataType, shape: Shape, path: str, *, by_id: bool) -> Counts:
    """Counts for each required field inside this one that the file holds, except map keys, which Parquet requires.

    `values` are those of the field, which is not counted itself; `kind` is their type with field ids.
    """
    there = values.drop_null()
    if shape.kind == "struct" and pa.types.is_struct(kind):
        for child in shape.inside:
            place = find_field(kind, child, by_id=by_id)
            if place is not None:
                yield from _of_child(there.field(place), kind.field(place).type, child, path, by_id=by_id)
    elif shape.kind == "list" and (pa.types.is_list(kind) or pa.types.is_large_list(kind)):
        yield from _of_child(pc.list_flatten(there), kind.value_type, shape.inside[0], path, by_id=by_id)
    elif shape.kind == "map" and pa.types.is_map(kind):
        first, last = (int(there.offsets[place].as_py()) for place in (0, len(there)))
        yield from _of_child(there.items.slice(first, last - first), kind.item_type, shape.inside[1], path, by_id=by_id)


def _of_child(values: pa.Array, kind: pa.DataType, child: Shape, path: str, *, by_id: bool) -> Counts:
    below = f"{path}.{child.name}"
    if child.required:
        yield below, len(values), values.null_count
    yield from nulls_inside(values, kind, child, below, by_id=by_id)


Signs = np.ndarray[Any, np.dtype[np.int8]]


@dataclass
class SortedRows:
    """Sees a file's rows in turn. `unordered` counts those that the order has before the row they follow."""

    fields: Sequence[SortedBy]
    unordered: int = 0
    _last: list[pa.Array] = field(default_factory=list)

    def see(self, columns: Sequence[pa.Array]) -> None:
        """One batch: the values of each field's column."""
        if not len(columns[0]):
            return
        values = [_sortable(one, by) for one, by in zip(columns, self.fields, strict=True)]
        joined = [pa.concat_arrays(pair) for pair in zip(self._last, values, strict=True)] if self._last else values
        self.unordered += int(_falls(joined, self.fields).sum())
        self._last = [one.slice(len(one) - 1) for one in values]


def _falls(values: Sequence[pa.Array], fields: Sequence[SortedBy]) -> Mask:
    """Marks the pairs of neighbours whose second row the order has first."""
    undecided: Mask = np.ones(len(values[0]) - 1, dtype=bool)
    falls = np.zeros_like(undecided)
    for column, by in zip(values, fields, strict=True):
        signs, open_to_doubt = _compared(column, by)
        undecided &= ~open_to_doubt
        falls |= undecided & (signs > 0)
        undecided &= signs == 0
    return falls


def _compared(values: pa.Array, by: SortedBy) -> tuple[Signs, Mask]:
    """For neighbours: -1 if the first comes first, 1 if the second does, 0 if neither; and which pairs are in doubt:
    zeros of two signs, which engines sort as equal, and NaNs of negative sign, which the specification has first and
    Java last.
    """
    one, other = values.slice(0, len(values) - 1), values.slice(1)
    greater, less = (_mask(compare(one, other)) for compare in (pc.greater, pc.less))
    doubt = np.zeros(len(one), dtype=bool)
    if pa.types.is_floating(values.type):
        nan = _mask(pc.is_nan(values))
        greater |= nan[:-1] & ~nan[1:] & _mask(other.is_valid())
        less |= nan[1:] & ~nan[:-1] & _mask(one.is_valid())
        negative = np.signbit(np.asarray(values.fill_null(0.0)))
        odd = nan & negative
        zeros = _mask(pc.equal(one, 0.0)) & _mask(pc.equal(other, 0.0)) & (negative[:-1] != negative[1:])
        doubt = odd[:-1] | odd[1:] | zeros
    signs = greater.astype(np.int8) - less.astype(np.int8)
    if by.descending:
        signs = -signs
    nulls = _mask(values.is_null())
    first = np.int8(-1 if by.nulls_first else 1)
    signs = np.where(nulls[:-1] & ~nulls[1:], first, np.where(~nulls[:-1] & nulls[1:], -first, signs))
    return signs, doubt


def _sortable(values: pa.Array, by: SortedBy) -> pa.Array:
    """What is compared: the transform's results, in a type that Arrow compares as the specification does."""
    if by.derived is not None:
        coded = values if pa.types.is_dictionary(values.type) else values.dictionary_encode()
        values = by.derived.of(coded.dictionary).take(coded.indices)
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if pa.types.is_string(values.type) or pa.types.is_fixed_size_binary(values.type):
        return values.cast(pa.binary())
    return values.cast(pa.int8()) if pa.types.is_boolean(values.type) else values


def _mask(values: pa.Array) -> Mask:
    mask: Mask = np.asarray(values.fill_null(False))
    return mask


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

"""Values as numbers, equal for equal values, and tables compared by them as multisets of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

Numbers = np.ndarray[Any, np.dtype[np.int64]]
Pair = tuple[Numbers, Numbers]


def numbered(ours: pa.Array | pa.ChunkedArray, theirs: pa.Array | pa.ChunkedArray) -> Pair:
    """A number for each value. Null equals null, NaN equals NaN, -0.0 equals 0.0; values of two kinds are never equal.

    Timestamps are equal if they are the same instant in UTC. Decimals, and numbers of one kind, are equal by value.
    """
    one, other = _plain(ours), _plain(theirs)
    if pa.types.is_struct(one.type) and pa.types.is_struct(other.type):
        return _structs(one, other)
    if _is_list(one.type) and _is_list(other.type):
        return _lists(one, other)
    target = _common(one.type, other.type)
    if target is None:
        return _unequal(one, other)
    return _encoded(_cast(one, target), _cast(other, target))


def combined(columns: Sequence[Pair]) -> Pair:
    """One number per row for several columns, equal if all of them are equal."""
    size = len(columns[0][0])
    numbers = np.zeros(size + len(columns[0][1]), dtype=np.int64)
    for pair in columns:
        both = np.concatenate(pair)
        wide = numbers * (both.max(initial=0) + 1) + both
        numbers = np.unique(wide, return_inverse=True)[1].reshape(-1)
    return numbers[:size], numbers[size:]


def hashable(values: pa.Array | pa.ChunkedArray) -> list[Any]:
    """A hashable for each value, the same for those that `numbered` finds equal, and perhaps for others."""
    plain = _plain(values)
    if pa.types.is_nested(plain.type):
        return [None] * len(plain)
    target = _common(plain.type, plain.type)
    alike = _cast(plain, target)
    if pa.types.is_floating(target):
        alike = pc.if_else(pc.is_nan(alike), None, alike)  # two NaNs of Python have two hashes
    if pa.types.is_temporal(target):
        alike = alike.view(pa.int32() if pa.types.is_date32(target) else pa.int64())
    found: list[Any] = alike.to_pylist()
    return found


def _encoded(one: pa.Array, other: pa.Array) -> Pair:
    both = pa.concat_arrays([one, other]).dictionary_encode(null_encoding="encode")
    numbers = both.indices.to_numpy().astype(np.int64)
    return numbers[: len(one)], numbers[len(one) :]


def _unequal(one: pa.Array, other: pa.Array) -> Pair:
    """Codes under which only nulls are equal between the two sides."""
    return np.asarray(one.is_valid()).astype(np.int64), np.asarray(other.is_valid()).astype(np.int64) * 2


def _structs(one: pa.StructArray, other: pa.StructArray) -> Pair:
    """Equal if all fields, by name, are equal. If the field names differ, all values are unequal."""
    names, others = ({field.name for field in side.type} for side in (one, other))
    if names != others:
        return _unequal(one, other)
    valid = _encoded(one.is_valid(), other.is_valid())
    return combined(
        [valid, *(numbered(pc.struct_field(one, name), pc.struct_field(other, name)) for name in sorted(names))]
    )


def _lists(one: pa.Array, other: pa.Array) -> Pair:
    """Equal if their elements are equal, in order. Compares texts of the elements' numbers."""
    elements = numbered(pc.list_flatten(one), pc.list_flatten(other))
    return _encoded(*(_text(side, numbers) for side, numbers in zip((one, other), elements, strict=True)))


def _text(lists: pa.Array, numbers: Numbers) -> pa.Array:
    lengths = np.asarray(pc.list_value_length(lists).fill_null(0)).astype(np.int32)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    words = pa.ListArray.from_arrays(pa.array(offsets), pa.array(numbers).cast(pa.string()))
    return pc.if_else(lists.is_valid(), pc.binary_join(words, ","), pa.scalar(None, pa.string()))


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def _plain(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    """The values as one array, without dictionaries and extensions; a map as the list of its entries."""
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if isinstance(values.type, pa.BaseExtensionType):
        values = values.storage
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if pa.types.is_map(values.type):
        entries = pa.StructArray.from_arrays([values.keys, values.items], ["key", "value"])
        values = pa.ListArray.from_arrays(values.offsets, entries, mask=values.is_null())
    return values


def _common(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    """The type in which both are compared; None for two kinds."""
    if pa.types.is_null(one) or pa.types.is_null(other):
        return other if pa.types.is_null(one) else one
    kinds = [(_kind(kind), kind) for kind in (one, other)]
    if kinds[0][0] != kinds[1][0]:
        return None
    if pa.types.is_decimal(one):
        return pa.decimal256(76, max(one.scale, other.scale))
    return kinds[0][0]


def _kind(kind: pa.DataType) -> pa.DataType:
    for is_kind, target in KINDS:
        if is_kind(kind):
            return target
    return kind


KINDS = (
    (pa.types.is_integer, pa.int64()),
    (pa.types.is_floating, pa.float64()),
    (pa.types.is_decimal, pa.decimal256(76, 0)),
    (pa.types.is_timestamp, pa.timestamp("us")),
    (pa.types.is_date, pa.date32()),
    (pa.types.is_time, pa.time64("us")),
    (pa.types.is_string, pa.binary()),
    (pa.types.is_large_string, pa.binary()),
    (pa.types.is_binary, pa.binary()),
    (pa.types.is_large_binary, pa.binary()),
    (pa.types.is_fixed_size_binary, pa.binary()),
)


def _cast(values: pa.Array, target: pa.DataType) -> pa.Array:
    if pa.types.is_timestamp(values.type) and values.type.tz is not None:
        values = values.cast(pa.int64()).cast(pa.timestamp(values.type.unit))
    if pa.types.is_timestamp(target):
        return values.cast(target, safe=False)  # Spark and Iceberg (format versions 1 and 2) have microseconds
    values = values.cast(target)
    return pc.add(values, 0.0) if pa.types.is_floating(target) else values  # -0.0 + 0.0 = 0.0


MOST = 1000
"""Rows of one key that are paired by likeness; the effort grows with the square of their number."""


@dataclass(frozen=True)
class Comparison:
    """Row indexes in our table or in theirs."""

    missing: Numbers
    """Theirs: rows that ours lacks or has less often."""
    foreign: Numbers
    """Ours: rows whose key theirs lacks."""
    surplus: Numbers
    """Ours: extra rows of a key that theirs has less often."""
    repeated: Numbers
    """Ours: all rows with the key of a surplus row."""
    unlike: tuple[Numbers, Numbers]
    """Ours and theirs: rows with equal keys that differ in some value."""


def compare(columns: Mapping[str, tuple[Numbers, Numbers]], key: Sequence[str]) -> Comparison:
    """Removes equal rows from both sides, then pairs the rest by `key`. `columns`: the numbers of ours and of theirs.

    If `key` names every column, rows are either equal or foreign.
    """
    whole, keys = combined(list(columns.values())), combined([columns[name] for name in key])
    ours, theirs = (np.flatnonzero(left) for left in _left_over(*whole))
    mine, yours = keys[0][ours], keys[1][theirs]
    mine_left, yours_left = _left_over(mine, yours)
    known = np.isin(mine, keys[1])
    surplus = ours[mine_left & known]
    return Comparison(
        missing=theirs[yours_left],
        foreign=ours[mine_left & ~known],
        surplus=surplus,
        repeated=np.flatnonzero(np.isin(keys[0], keys[0][surplus])),
        unlike=_paired(columns, _in_order(ours, mine, ~mine_left), _in_order(theirs, yours, ~yours_left), keys[0]),
    )


def _paired(
    columns: Mapping[str, tuple[Numbers, Numbers]], ours: Numbers, theirs: Numbers, keys: Numbers
) -> tuple[Numbers, Numbers]:
    """Both sides with partners at the same index. Rows that share a key get the partner with most equal values.

    `ours` and `theirs` are sorted by key, each key as often in the one as in the other; `keys` are those of ours. More
    than MOST rows of one key stay in their order.
    """
    theirs = theirs.copy()
    starts = np.flatnonzero(np.diff(keys[ours], prepend=-1, append=-1))
    for start, stop in pairwise(starts.tolist()):
        if 1 < stop - start <= MOST:
            here, there = ours[start:stop], theirs[start:stop]
            differing = sum(
                np.not_equal.outer(left[here], right[there]).astype(int) for left, right in columns.values()
            )
            theirs[start:stop] = there[_partners(np.asarray(differing))]
    return ours, theirs


def _partners(differing: Numbers) -> list[int]:
    """For each row of a square matrix the column that is its partner: the pair that differs least comes first."""
    left = differing.astype(float)
    partner = [0] * len(left)
    for _ in range(len(left)):
        row, column = divmod(int(left.argmin()), len(left))
        partner[row] = column
        left[row, :] = left[:, column] = np.inf
    return partner


def _left_over(ours: Numbers, theirs: Numbers) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Marks the rows on each side without a partner of the same number on the other."""
    size = max(ours.max(initial=-1), theirs.max(initial=-1)) + 1
    have, need = np.bincount(ours, minlength=size), np.bincount(theirs, minlength=size)
    return _ordinal(ours) >= need[ours], _ordinal(theirs) >= have[theirs]


def _ordinal(numbers: Numbers) -> Numbers:
    """For each row, how many earlier rows have the same number."""
    order = np.argsort(numbers, kind="stable")
    inside = numbers[order]
    starts = np.searchsorted(inside, inside)
    ordinal = np.empty(len(numbers), dtype=np.int64)
    ordinal[order] = np.arange(len(numbers)) - starts
    return ordinal


def _in_order(rows: Numbers, keys: Numbers, chosen: np.ndarray[Any, Any]) -> Numbers:
    """The chosen rows sorted by key, so that partners have the same index."""
    order: Numbers = rows[chosen][np.argsort(keys[chosen], kind="stable")]
    return order

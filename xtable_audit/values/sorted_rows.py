"""Counts the rows of a file that are not in its declared sort order (Iceberg spec, Sorting)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.model.wanted import SortedBy

Mask = np.ndarray[Any, np.dtype[np.bool_]]
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

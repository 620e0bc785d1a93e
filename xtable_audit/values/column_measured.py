"""Counts and extremes of columns, array by array."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


@dataclass(slots=True)
class ColumnMeasured:
    """Counts and extremes of one column of one file so far."""

    arrow: pa.DataType
    value_count: int = 0
    null_count: int = 0
    nan_count: int = 0
    minima: list[pa.Scalar] = field(default_factory=list)
    maxima: list[pa.Scalar] = field(default_factory=list)

    def see(self, values: pa.Array) -> None:
        nulls, kind = values.null_count, values.type
        self.value_count += len(values)
        self.null_count += nulls
        if pa.types.is_dictionary(kind):
            values = _distinct(values)
            nulls, kind = values.null_count, values.type
        if pa.types.is_floating(kind):
            nan = pc.is_nan(values)
            if pc.any(nan).as_py():
                numbers = values.filter(pc.invert(nan), null_selection_behavior="drop")
                self.nan_count += len(values) - nulls - len(numbers)
                values, nulls = numbers, 0
        if len(values) > nulls:
            low, high = min_max(values)
            if pa.types.is_string(kind):
                _demand_text(low, high)
            self.minima.append(low)
            self.maxima.append(high)

    def extreme(self, side: str) -> pa.Scalar:
        seen = self.minima if side == "min" else self.maxima
        if not seen:
            return pa.scalar(None, self.arrow)
        found = least_or_greatest(pa.array(seen, seen[0].type), side) if len(seen) > 1 else seen[0]
        return found if found.type == self.arrow else found.cast(self.arrow)


COUNTS = ("value_count", "null_count", "nan_count")


def structs(kind: pa.DataType, columns: Iterable[tuple[ColumnMeasured | None, bool]]) -> pa.Array:
    """What was measured of columns of this type, and whether their files hold them; null for None."""
    fields = [("min", kind), ("max", kind), *((name, pa.int64()) for name in COUNTS), ("held", pa.bool_())]
    rows = [
        one and (one.extreme("min"), one.extreme("max"), one.value_count, one.null_count, one.nan_count, held)
        for one, held in columns
    ]
    return pa.array(rows, pa.struct(fields))


def least_or_greatest(values: pa.Array, side: str) -> pa.Scalar:
    """The min or max of some extremes."""
    return values[0] if len(values) == 1 else min_max(values)[side == "max"]


def min_max(values: pa.Array) -> tuple[pa.Scalar, pa.Scalar]:
    """Min and max, where -0.0 precedes +0.0 (Iceberg spec, Manifests)."""
    extremes = pc.min_max(values)
    low, high = extremes["min"], extremes["max"]
    if pa.types.is_floating(values.type) and 0.0 in (low.as_py(), high.as_py()):
        zeros = np.signbit(np.asarray(values.filter(pc.equal(values, 0.0), null_selection_behavior="drop")))
        if low.as_py() == 0.0:
            low = pa.scalar(-0.0 if zeros.any() else 0.0, values.type)
        if high.as_py() == 0.0:
            high = pa.scalar(-0.0 if zeros.all() else 0.0, values.type)
    return low, high


def _demand_text(*values: pa.Scalar) -> None:
    """Raises UnicodeDecodeError for text that is no UTF-8, which Arrow reads and Python cannot."""
    for one in values:
        one.as_py()


def _distinct(values: pa.DictionaryArray) -> pa.Array:
    """The values that occur; a dictionary may hold unused ones."""
    return values.dictionary.take(pc.unique(values.indices).drop_null())

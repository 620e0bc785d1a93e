"""Counts and extremes of columns, array by array; of short arrays of one type together, since a call costs as much as
a thousand rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from threading import Lock

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


Seen = tuple[ColumnMeasured, pa.Array]
"""A column, and more of its values."""

SHORT, ENOUGH = 1 << 13, 1 << 18
"""Most values of an array that waits for others, and of all that wait: they are copied."""
NUMBERS = {
    **{kind.id: kind for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.float32(), pa.float64())},
    **{kind.id: pa.int32() for kind in (pa.date32(), pa.time32("s"))},
    **{kind.id: pa.int64() for kind in (pa.date64(), pa.time64("us"), pa.timestamp("us"))},
}
"""As what NumPy compares them, by the type's id."""
FLOATS = {pa.float32().id, pa.float64().id}


class Together:
    """Columns see short arrays of numbers when enough of one or many files wait, or at the `finish`."""

    def __init__(self) -> None:
        self._seen: list[Seen] = []
        self._values = 0
        self._lock = Lock()

    def see(self, columns: Iterable[Seen], rows: int) -> None:
        """So many rows."""
        for column, values in columns:
            if rows > SHORT or values.type.id not in NUMBERS:
                column.see(values)
            else:
                self._add([(column, values)], rows)

    def take(self, other: Together) -> None:
        """What waits there, of a file that is read to its end: nothing else sees values for its columns."""
        self._add(other._seen, other._values)

    def finish(self) -> None:
        self._add([], ENOUGH)

    def _add(self, seen: list[Seen], values: int) -> None:
        with self._lock:
            self._seen += seen
            self._values += values
            if self._values < ENOUGH:
                return
            ready, self._seen, self._values = self._seen, [], 0
        alike: dict[pa.DataType, list[Seen]] = {}
        for column, short in ready:
            alike.setdefault(short.type, []).append((column, short))
        for kind, those in alike.items():
            _see_together(kind, those)


def _see_together(kind: pa.DataType, seen: list[Seen]) -> None:
    """A column with a NaN, or a zero at an end, sees its values by itself: these have rules of their own."""
    counts = np.array([len(values) - values.null_count for _, values in seen])
    numbers = np.asarray(pa.concat_arrays([values for _, values in seen]).drop_null().view(NUMBERS[kind.id]))
    places = np.flatnonzero(counts)
    begins = (counts.cumsum() - counts)[places]
    lows, highs = (of.reduceat(numbers, begins) if len(begins) else numbers for of in (np.minimum, np.maximum))
    plain = (lows != 0) & (highs != 0) & (lows == lows) if kind.id in FLOATS else np.ones(len(lows), dtype=bool)
    every = zip(pa.array(lows).view(kind), pa.array(highs).view(kind), plain.tolist(), strict=True)
    ends = dict(zip(places.tolist(), every, strict=True))
    for place, (column, values) in enumerate(seen):
        low, high, is_plain = ends.get(place, (None, None, True))
        if not is_plain:
            column.see(values)
            continue
        column.value_count += len(values)
        column.null_count += values.null_count
        if low is not None:
            column.minima.append(low)
            column.maxima.append(high)


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

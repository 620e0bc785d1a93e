"""Numbers of small files, measured together: of a thousand rows, a call costs as much as what it does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock

import numpy as np
import pyarrow as pa

from xtable_audit.model.scan_input import WantedColumn
from xtable_audit.values.column_measured import COUNTS, ColumnMeasured, structs

SHORT, ENOUGH = 1 << 13, 1 << 18
"""Most values of an array that waits for others, and of all that wait or are measured at a time: they are copied."""
NUMBERS = {
    **{kind.id: kind for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.float32(), pa.float64())},
    **{kind.id: pa.int32() for kind in (pa.date32(), pa.time32("s"))},
    **{kind.id: pa.int64() for kind in (pa.date64(), pa.time64("us"), pa.timestamp("us"))},
}
"""As what NumPy compares them, by the type's id."""
FLOATS = {pa.float32().id, pa.float64().id}


@dataclass(slots=True, eq=False)
class ShortColumns:
    """Columns of one file."""

    values: Sequence[pa.Array]
    """None, once they are measured."""
    held: Sequence[bool]
    """Whether the file itself holds each."""
    measured: Mapping[str, pa.Array] = field(default_factory=dict)
    """Of the files that were measured with this one, by the column's path, as `column_measured.structs`."""
    place: int = -1
    """This file's among them."""


class Together:
    """The same columns, of numbers, of many files: they are measured when enough wait, or at the `finish`."""

    def __init__(self, columns: Sequence[WantedColumn]) -> None:
        self._alike: dict[pa.DataType, list[tuple[int, str]]] = {}
        for place, column in enumerate(columns):
            self._alike.setdefault(column.arrow, []).append((place, column.path))
        self._waiting: list[ShortColumns] = []
        self._values = 0
        self._lock = Lock()

    def add(self, columns: ShortColumns) -> None:
        with self._lock:
            self._waiting.append(columns)
            self._values += sum(map(len, columns.values))
            if self._values < ENOUGH:
                return
            ready, self._waiting, self._values = self._waiting, [], 0
        self._measure(ready)

    def finish(self) -> None:
        self._measure(self._waiting)
        self._waiting = []

    def _measure(self, files: list[ShortColumns]) -> None:
        if not files:
            return
        measured: dict[str, pa.Array] = {}
        for kind, columns in self._alike.items():
            values = [file.values[place] for place, _ in columns for file in files]
            held = [file.held[place] for place, _ in columns for file in files]
            every = pa.concat_arrays(list(_in_runs(kind, values, held)))
            for number, (_, path) in enumerate(columns):
                measured[path] = every.slice(number * len(files), len(files))
        for place, file in enumerate(files):
            file.values, file.measured, file.place = (), measured, place


def _in_runs(kind: pa.DataType, values: list[pa.Array], held: list[bool]) -> Iterator[pa.Array]:
    step = ENOUGH // max(1, *map(len, values)) or 1
    for start in range(0, len(values), step):
        yield _measured(kind, values[start : start + step], held[start : start + step])


def _measured(kind: pa.DataType, values: list[pa.Array], held: list[bool]) -> pa.Array:
    """Values with a NaN, or a zero at an end, are measured by themselves: these have rules of their own."""
    lengths, nulls = np.array([*map(len, values)]), np.array([one.null_count for one in values])
    numbers = np.asarray(pa.concat_arrays(values).drop_null().view(NUMBERS[kind.id]))
    counts = lengths - nulls
    there = counts > 0
    begins = (counts.cumsum() - counts)[there]
    lows, highs = (of.reduceat(numbers, begins) if len(begins) else numbers for of in (np.minimum, np.maximum))
    places = pa.array(there.cumsum() - 1, mask=~there)
    ends = (pa.array(each).view(kind).take(places) for each in (lows, highs))
    each = [*ends, *map(pa.array, (lengths, nulls, np.zeros_like(nulls), held))]
    found = pa.StructArray.from_arrays(each, ["min", "max", *COUNTS, "held"])
    if kind.id not in FLOATS:
        return found
    alone = np.flatnonzero(there)[(lows == 0) | (highs == 0) | (lows != lows)]
    order = np.arange(len(values))
    order[alone] = len(values) + np.arange(len(alone))
    others = structs(kind, ((_alone(kind, values[place]), held[place]) for place in alone))
    return pa.concat_arrays([found, others]).take(pa.array(order))


def _alone(kind: pa.DataType, values: pa.Array) -> ColumnMeasured:
    column = ColumnMeasured(kind)
    column.see(values)
    return column

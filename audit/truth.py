"""Parquet values to truth: what each data file really holds, in the shape of the evidence.

Values are decoded and looked at, batch by batch. Footer statistics are never asked: they carry the faults under audit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from audit.leaf import Leaf
from audit.malformed import Malformed, first_line
from audit.objects import Objects
from audit.parquet import BATCH_ROWS, column_values, locate, repetitive


@dataclass(frozen=True)
class Truth:
    """What the values say, one row per data file, in the order the paths were given.

    `files`: path, exists (bool), size (bytes, null where missing), record_count (null where missing).
    `columns`: for each leaf column a table min, max (typed, NaN left out), value_count, null_count, nan_count;
    null throughout for a missing file. A column absent from a file counts as null in every row.
    """

    files: pa.Table
    columns: Mapping[str, pa.Table]


def read_truth(objects: Objects, paths: Iterable[str], leaves: tuple[Leaf, ...]) -> Truth:
    """Measure every file. Raises Malformed for a file that exists but is no Parquet file of these columns."""
    paths = list(paths)
    measured = {path: measure(objects, path, leaves) for path in dict.fromkeys(paths)}
    rows = [measured[path] for path in paths]
    files = pa.table(
        {
            "path": pa.array(paths, pa.string()),
            "exists": pa.array([r.size is not None for r in rows], pa.bool_()),
            "size": pa.array([r.size for r in rows], pa.int64()),
            "record_count": pa.array([r.record_count for r in rows], pa.int64()),
        }
    )
    return Truth(files, {leaf.path: _column(leaf, [r.columns.get(leaf.path) for r in rows]) for leaf in leaves})


@dataclass
class ColumnTruth:
    """What has been seen of one column of one file so far."""

    arrow: pa.DataType
    value_count: int = 0
    null_count: int = 0
    nan_count: int = 0
    minima: list[pa.Scalar] = field(default_factory=list)
    maxima: list[pa.Scalar] = field(default_factory=list)

    def see(self, values: pa.Array) -> None:
        self.value_count += len(values)
        self.null_count += values.null_count
        if pa.types.is_dictionary(values.type):
            values = _distinct(values)
        if pa.types.is_floating(values.type):
            nan = pc.is_nan(values)
            if pc.any(nan).as_py():
                numbers = values.filter(pc.invert(nan), null_selection_behavior="drop")
                self.nan_count += len(values) - values.null_count - len(numbers)
                values = numbers
        if len(values) > values.null_count:
            extremes = pc.min_max(values)
            self.minima.append(extremes["min"])
            self.maxima.append(extremes["max"])

    def extreme(self, side: str) -> pa.Scalar:
        seen = self.minima if side == "min" else self.maxima
        if not seen:
            return pa.scalar(None, self.arrow)
        return pc.min_max(pa.array(seen, seen[0].type))[side].cast(self.arrow)


@dataclass(frozen=True)
class FileTruth:
    size: int | None
    record_count: int | None
    columns: Mapping[str, ColumnTruth]


def measure(objects: Objects, path: str, leaves: tuple[Leaf, ...]) -> FileTruth:
    """One file's truth; all None where it does not exist."""
    size = objects.size(path)
    if size is None:
        return FileTruth(None, None, {})
    seen = {leaf.path: ColumnTruth(leaf.arrow) for leaf in leaves}
    rows = 0
    try:
        with objects.filesystem.open_input_file(objects.path(path)) as source:
            file = pq.ParquetFile(source)
            file = pq.ParquetFile(source, metadata=file.metadata, read_dictionary=repetitive(file.metadata))
            located = {leaf.path: place for leaf in leaves if (place := locate(file.schema_arrow, leaf)) is not None}
            roots = sorted({place[0] for place in located.values()})
            with ThreadPoolExecutor() as pool:
                for batch in file.iter_batches(BATCH_ROWS, columns=roots):
                    rows += batch.num_rows
                    list(pool.map(lambda leaf: _look(batch, leaf, located.get(leaf.path), seen[leaf.path]), leaves))  # noqa: B023
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        raise Malformed(path, f"is not the Parquet file the metadata describes: {first_line(error)}") from error
    except OSError as error:
        raise Malformed(path, f"cannot be read as Parquet: {first_line(error)}") from error
    return FileTruth(size, rows, seen)


def _distinct(values: pa.DictionaryArray) -> pa.Array:
    """The values that really occur: a dictionary may hold others."""
    return values.dictionary.take(pc.unique(values.indices).drop_null())


def _look(batch: pa.RecordBatch, leaf: Leaf, place: tuple[str, ...] | None, seen: ColumnTruth) -> None:
    seen.see(pa.nulls(batch.num_rows, leaf.arrow) if place is None else column_values(batch, place, leaf.arrow))


def _column(leaf: Leaf, rows: list[ColumnTruth | None]) -> pa.Table:
    def extremes(side: str) -> pa.Array:
        return pa.array([r.extreme(side) if r else None for r in rows], leaf.arrow)

    def counts(name: str) -> pa.Array:
        return pa.array([getattr(r, name) if r else None for r in rows], pa.int64())

    return pa.table(
        {"min": extremes("min"), "max": extremes("max")}
        | {name: counts(name) for name in ("value_count", "null_count", "nan_count")}
    )

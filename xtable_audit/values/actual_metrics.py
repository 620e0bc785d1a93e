"""Parquet values to truth: what each data file really holds, in the shape of the evidence.

Values are decoded and looked at, batch by batch. Footer statistics are never asked: they carry the faults under audit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.types import NestedField

from xtable_audit.metadata.stored_metrics import StoredMetrics
from xtable_audit.metadata.transforms import Bucketed, buckets
from xtable_audit.model.columns import Leaf
from xtable_audit.model.malformed import Malformed, first_line
from xtable_audit.model.objects import Objects
from xtable_audit.values.nested_nulls import demanding, nulls_inside
from xtable_audit.values.parquet import (
    BATCH_ROWS,
    carries_ids,
    column_values,
    find_field,
    locate,
    open_parquet,
    repetitive,
    schema_of,
)

Constants = Mapping[str, Mapping[str, pa.Scalar]]
"""File -> column -> the value of all its rows, for columns that the file itself may lack."""


@dataclass(frozen=True)
class ActualMetrics:
    """What the values say, one row per data file, in the order the paths were given.

    `files`: path, exists (bool), size (bytes, null where missing), record_count (null where missing).
    `columns`: for each leaf column a table min, max (typed, NaN left out), value_count, null_count, nan_count;
    null throughout for a missing file. A column absent from a file counts as null in every row, or as the value of its
    identity partition (spec, Column Projection).
    `held`: for each leaf column whether the file itself holds it.
    `buckets`: for each partition field that keeps no order, min and max of its transform of the values.
    `inside`: for each required field inside a column, the file's values around it and how many of its own are null
    (`xtable_audit.values.nested_nulls`); null where the file is missing or lacks it.
    `schemas`: each file's own, null where missing.
    """

    files: pa.Table
    columns: Mapping[str, pa.Table]
    held: Mapping[str, pa.Array] = field(default_factory=dict)
    buckets: Mapping[str, pa.Table] = field(default_factory=dict)
    schemas: tuple[pa.Schema | None, ...] = ()
    inside: Mapping[str, pa.Table] = field(default_factory=dict)

    def take(self, places: list[int]) -> ActualMetrics:
        """The truth of the files at these places, in this order."""
        rows = pa.array(places, pa.int64())
        return ActualMetrics(
            self.files.take(rows),
            {name: table.take(rows) for name, table in self.columns.items()},
            {name: held.take(rows) for name, held in self.held.items()},
            {name: table.take(rows) for name, table in self.buckets.items()},
            tuple(self.schemas[place] for place in places),
            {name: table.take(rows) for name, table in self.inside.items()},
        )


def actual_metrics_of(objects: Objects, stored: StoredMetrics) -> ActualMetrics:
    """The truth of the live files of a table, partition values included. Raises Malformed."""
    return read_actual_metrics(
        objects,
        stored.paths,
        stored.leaves,
        stored.constants,
        buckets(stored.spec, stored.leaves),
        demanding(stored.schema),
    )


def read_actual_metrics(
    objects: Objects,
    paths: Iterable[str],
    leaves: tuple[Leaf, ...],
    constants: Constants | None = None,
    bucketed: tuple[Bucketed, ...] = (),
    demand: tuple[NestedField, ...] = (),
) -> ActualMetrics:
    """Measure every file. Raises Malformed for a file that exists but is no Parquet file of these columns."""
    paths, known = list(paths), constants or {}
    once = dict.fromkeys(paths)
    measured = {path: measure(objects, path, leaves, known.get(path, {}), bucketed, demand) for path in once}
    rows = [measured[path] for path in paths]
    files = pa.table(
        {
            "path": pa.array(paths, pa.string()),
            "exists": pa.array([r.size is not None for r in rows], pa.bool_()),
            "size": pa.array([r.size for r in rows], pa.int64()),
            "record_count": pa.array([r.record_count for r in rows], pa.int64()),
        }
    )
    return ActualMetrics(
        files,
        {leaf.path: _column(leaf.arrow, [r.columns.get(leaf.path) for r in rows]) for leaf in leaves},
        {leaf.path: pa.array([leaf.path in r.held for r in rows], pa.bool_()) for leaf in leaves},
        {one.name: _column(one.arrow, [r.buckets.get(one.name) for r in rows]) for one in bucketed},
        tuple(r.schema for r in rows),
        _inside([r.inside for r in rows]),
    )


@dataclass
class ActualColumn:
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
            extremes = min_max(values)
            self.minima.append(extremes["min"])
            self.maxima.append(extremes["max"])

    def extreme(self, side: str) -> pa.Scalar:
        seen = self.minima if side == "min" else self.maxima
        if not seen:
            return pa.scalar(None, self.arrow)
        return min_max(pa.array(seen, seen[0].type))[side].cast(self.arrow)


@dataclass(frozen=True)
class ActualFile:
    size: int | None
    record_count: int | None
    columns: Mapping[str, ActualColumn]
    held: frozenset[str] = frozenset()
    buckets: Mapping[str, ActualColumn] = field(default_factory=dict)
    schema: pa.Schema | None = None
    inside: Mapping[str, tuple[int, int]] = field(default_factory=dict)


@cache
def side_by_side() -> ThreadPoolExecutor:
    """Threads that measure columns: one pool for all files, for most files are small."""
    return ThreadPoolExecutor()


def measure(
    objects: Objects,
    path: str,
    leaves: tuple[Leaf, ...],
    constants: Mapping[str, pa.Scalar],
    bucketed: tuple[Bucketed, ...],
    demand: tuple[NestedField, ...],
) -> ActualFile:
    """One file's truth; all None where it does not exist."""
    size = objects.size(path)
    if size is None:
        return ActualFile(None, None, {})
    seen = {leaf.path: ActualColumn(leaf.arrow) for leaf in leaves}
    in_buckets = {one.name: ActualColumn(one.arrow) for one in bucketed}
    inside: dict[str, tuple[int, int]] = {}
    rows = 0
    try:
        with objects.open(path) as source:
            file = open_parquet(source)
            file = open_parquet(source, metadata=file.metadata, read_dictionary=repetitive(file.metadata))
            located = {leaf.path: place for leaf in leaves if (place := locate(file.schema_arrow, leaf)) is not None}
            by_id = carries_ids(file.schema_arrow)
            asking = {
                file.schema_arrow.field(number).name: wanted
                for wanted in demand
                if (number := find_field(file.schema_arrow, wanted, by_id=by_id)) is not None
            }
            roots = sorted({place[0] for place in located.values()} | set(asking))

            def values(batch: pa.RecordBatch, leaf: Leaf) -> pa.Array:
                if leaf.path in located:
                    return column_values(batch, located[leaf.path], leaf.arrow)
                if leaf.path in constants:
                    return pa.repeat(constants[leaf.path], batch.num_rows)
                return pa.nulls(batch.num_rows, leaf.arrow)

            for batch in file.iter_batches(BATCH_ROWS, columns=roots):
                rows += batch.num_rows
                list(side_by_side().map(lambda leaf: seen[leaf.path].see(values(batch, leaf)), leaves))  # noqa: B023
                for name, wanted in asking.items():
                    for path_inside, around, null in nulls_inside(batch[name], wanted, wanted.name, by_id=by_id):
                        before = inside.get(path_inside, (0, 0))
                        inside[path_inside] = before[0] + around, before[1] + null
                for one in bucketed:
                    in_buckets[one.name].see(one.of(values(batch, one.leaf)))
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        raise Malformed(path, f"is not the Parquet file the metadata describes: {first_line(error)}") from error
    except OSError as error:
        raise Malformed(path, f"cannot be read as Parquet: {first_line(error)}") from error
    return ActualFile(size, rows, seen, frozenset(located), in_buckets, schema_of(file), inside)


def _inside(files: list[Mapping[str, tuple[int, int]]]) -> dict[str, pa.Table]:
    names = dict.fromkeys(name for file in files for name in file)
    return {
        name: pa.table(
            {
                side: pa.array([file.get(name, (None, None))[place] for file in files], pa.int64())
                for place, side in enumerate(("value_count", "null_count"))
            }
        )
        for name in names
    }


def min_max(values: pa.Array) -> dict[str, pa.Scalar]:
    """The extremes, in which -0.0 precedes +0.0 (Iceberg spec, Manifests)."""
    extremes = pc.min_max(values)
    told = {side: extremes[side] for side in ("min", "max")}
    if pa.types.is_floating(values.type) and 0.0 in (told["min"].as_py(), told["max"].as_py()):
        zeros = np.signbit(np.asarray(values.filter(pc.equal(values, 0.0), null_selection_behavior="drop")))
        for side, found, zero in (("min", zeros.any(), -0.0), ("max", (~zeros).any(), 0.0)):
            if told[side].as_py() == 0.0:
                told[side] = pa.scalar(zero if found else -zero, values.type)
    return told


def _distinct(values: pa.DictionaryArray) -> pa.Array:
    """The values that really occur: a dictionary may hold others."""
    return values.dictionary.take(pc.unique(values.indices).drop_null())


def _column(arrow: pa.DataType, rows: list[ActualColumn | None]) -> pa.Table:
    def extremes(side: str) -> pa.Array:
        return pa.array([r.extreme(side) if r else None for r in rows], arrow)

    def counts(name: str) -> pa.Array:
        return pa.array([getattr(r, name) if r else None for r in rows], pa.int64())

    return pa.table(
        {"min": extremes("min"), "max": extremes("max")}
        | {name: counts(name) for name in ("value_count", "null_count", "nan_count")}
    )

"""Measures one data file: the kernel that every scanner runs. It needs only Arrow.

It decodes values batch by batch and never uses footer statistics, which carry the faults under audit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from xtable_audit.model.limits import Limits
from xtable_audit.model.malformed import ColumnMisfit, Malformed, Unread, check_reachable, first_line, is_of_store
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Unreachable
from xtable_audit.model.wanted import DataFile, Positions, Wanted
from xtable_audit.values import row_counts
from xtable_audit.values.deleted_rows import not_among, removed
from xtable_audit.values.opened import NO_MEMORY, batches, open_held
from xtable_audit.values.parquet import DoesNotFit, FileColumns, FileSchema, find_field, schema_of
from xtable_audit.values.row_counts import SortedRows, nulls_inside
from xtable_audit.values.row_groups import (
    BATCH_ROWS,
    RowGroup,
    TooMuch,
    in_parts,
    in_runs,
    repetitive,
    row_groups,
    rows_at_once,
)


@dataclass
class ColumnMeasured:
    """Counts and extremes of one column of one file so far."""

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
            if pa.types.is_string(values.type):
                _demand_text(extremes)
            self.minima.append(extremes["min"])
            self.maxima.append(extremes["max"])

    def extreme(self, side: str) -> pa.Scalar:
        seen = self.minima if side == "min" else self.maxima
        if not seen:
            return pa.scalar(None, self.arrow)
        return least_or_greatest(pa.array(seen, seen[0].type), side).cast(self.arrow)


@dataclass(frozen=True)
class FileMeasured:
    """A file, or some of its row groups. `size` is None if it does not exist or its size cannot be read. `record_count`
    is None if it is not read: it does not exist, is not Parquet by the metadata, is `malformed` or `unread`. It counts
    the rows that the file's deletion vector removes; nothing else does.
    """

    path: str
    size: int | None
    record_count: int | None = None
    malformed: str | None = None
    """Why it cannot be read as the Parquet file that the metadata describes."""
    schema: pa.Schema | None = None
    """The file's own schema."""
    columns: Mapping[str, ColumnMeasured] = field(default_factory=dict)
    held: frozenset[str] = frozenset()
    """Columns that the file itself holds."""
    derived: Mapping[str, ColumnMeasured] = field(default_factory=dict)
    inside: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Path of a required field inside a column -> number of values where its parent is present, and number of nulls."""
    counted: int | None = None
    """Rows of a file whose values are not read, where they can be counted."""
    unordered: int | None = None
    """Rows that its sort order has before the row they follow, in the same part; None without an order to judge."""
    format: str | None = None
    """Its format by its first bytes, as in Iceberg metadata: `PARQUET`; None if they are of no format of Iceberg's."""
    unread: str | None = None
    """Why it was not read, where that says nothing against it: the store, a limit."""
    groups: tuple[RowGroup, ...] | None = None
    """Those of the whole file; None if it is not read, or not from its first."""
    misfit: ColumnMisfit | None = None
    """The column because of which it is malformed, if that is known."""


def measure_file(
    objects: Objects, data_file: DataFile, wanted: Wanted, groups: tuple[int, ...] | None = None
) -> FileMeasured:
    """Measures one file, or row groups of it. A column that it lacks is as in `FileColumns`."""
    path, misfit = data_file.path, None
    try:
        source, size = _open(objects, path)
    except Unreachable as error:
        return FileMeasured(path, None, unread=f"cannot be looked up: {first_line(error)}")
    except Malformed as error:
        return FileMeasured(path, None, unread=error.reason)
    if size is None:
        return FileMeasured(path, size)
    if not data_file.is_parquet:
        return _not_read(objects, source, path, size)
    try:
        return objects.within(lambda: _sparing(objects, source, size, data_file, wanted, groups), size)
    except Unread as error:
        return FileMeasured(path, size, unread=error.reason)
    except Malformed as error:
        return FileMeasured(path, size, malformed=error.reason)
    except Unreachable as error:
        return FileMeasured(path, size, unread=f"has a deletion vector that is not read: {first_line(error)}")
    except (pa.ArrowMemoryError, MemoryError):
        return FileMeasured(path, size, unread=NO_MEMORY)
    except TooMuch as error:
        return FileMeasured(path, size, unread=first_line(error))
    except (pa.ArrowException, OverflowError, UnicodeError) as error:
        error.__traceback__ = None  # Arrow keeps what HeldPages raises for ever (PyArrow 25), and its frames the file
        reason = f"is not the Parquet file the metadata describes: {first_line(error)}"
        misfit = error.misfit if isinstance(error, DoesNotFit) else None
    except OSError as error:
        if is_of_store(path, error):
            return FileMeasured(path, size, unread=f"cannot be read: {first_line(error)}")
        reason = f"cannot be read as Parquet: {first_line(error)}"
    return FileMeasured(path, size, malformed=reason, misfit=misfit)


def _open(objects: Objects, path: str) -> tuple[pa.NativeFile | None, int | None]:
    """The file and its size, by one request. None for a file that does not open, with its size if it exists.

    Raises Unread or Unreachable if the store fails.
    """
    try:
        source = objects.open(path)
        return source, source.size()
    except TimeoutError as error:
        check_reachable(path, error)
        raise
    except (OSError, pa.ArrowException):  # raised again by who opens it to read
        return None, objects.size(path)


FEW_ROWS = 256
"""Rows that are decoded at a time of a file whose values are large, though its footer does not tell."""


def _sparing(
    objects: Objects,
    source: pa.NativeFile | None,
    size: int,
    data_file: DataFile,
    wanted: Wanted,
    groups: tuple[int, ...] | None,
) -> FileMeasured:
    """A value of a megabyte that is repeated a million times takes few bytes in the file, and many at once."""
    with source or objects.open(data_file.path) as opened:
        deleted = removed(objects, data_file)
        try:
            return _opened(opened, size, data_file, deleted, wanted, groups, objects.limits, BATCH_ROWS)
        except (pa.ArrowMemoryError, MemoryError):
            return _opened(opened, size, data_file, deleted, wanted, groups, objects.limits, FEW_ROWS)


def _opened(
    source: pa.NativeFile,
    size: int,
    data_file: DataFile,
    deleted: Positions,
    wanted: Wanted,
    groups: tuple[int, ...] | None,
    limits: Limits,
    most: int,
) -> FileMeasured:
    file = open_held(source, limits.footer, repetitive)
    return _measured(file, size, data_file, deleted, wanted, groups, limits, most)


def _measured(
    file: pq.ParquetFile,
    size: int,
    data_file: DataFile,
    deleted: Positions,
    wanted: Wanted,
    groups: tuple[int, ...] | None,
    limits: Limits,
    most: int,
) -> FileMeasured:
    own = FileSchema.of(file.schema_arrow, data_file.mapping)
    schema, by_id = own.schema, own.by_id
    seen = {column.path: ColumnMeasured(column.arrow) for column in wanted.columns}
    derived = {one.name: ColumnMeasured(one.arrow) for one in wanted.derived}
    columns = {column.path: column for column in wanted.columns}
    inside: dict[str, tuple[int, int]] = {}
    found = FileColumns.of(own, wanted.columns, data_file.constants)
    demanding = {
        schema.field(number).name: (shape, schema.field(number).type)
        for shape in wanted.demanding
        if (number := find_field(schema, shape, by_id=by_id)) is not None
    }
    order = wanted.sorted_by(data_file.order)
    in_turn = SortedRows(order)
    roots = sorted(found.roots | set(demanding))
    rows_at_once(file.metadata, roots, groups, limits.row_group)
    sorted_by = {root for by in order if (root := found.root(columns[by.column])) is not None}
    claimed = _claimed(file.metadata, groups)
    every = range(file.metadata.num_row_groups) if groups is None else groups
    begin = sum(file.metadata.row_group(group).num_rows for group in range(every[0])) if every else 0
    for number, part in enumerate(in_parts(file.metadata, roots, sorted_by, every)):
        first, there = number == 0, {*part}
        mine = [one for one in wanted.columns if found.root(one) in there or (first and found.root(one) is None)]
        paths = {one.path for one in mine}
        rows, at_once = 0, min(most, rows_at_once(file.metadata, part, groups, limits.row_group))
        runs = in_runs(file.metadata, part, every)
        for whole in chain.from_iterable(batches(file, at_once, columns=part, row_groups=run) for run in runs):
            here, rows = begin + rows, rows + whole.num_rows
            batch = whole.filter(pa.array(not_among(deleted, len(whole), here))) if len(deleted) else whole
            for column in mine:
                seen[column.path].see(found.values(batch, column))
            for one in wanted.derived:
                if one.column in paths:
                    derived[one.name].see(one.of(found.values(batch, columns[one.column])))
            if order and first:
                in_turn.see([found.values(batch, columns[by.column]) for by in order])
            for name in there & demanding.keys():
                shape, kind = demanding[name]
                for path_inside, around, null in nulls_inside(batch[name], kind, shape, shape.name, by_id=by_id):
                    before = inside.get(path_inside, (0, 0))
                    inside[path_inside] = before[0] + around, before[1] + null
        if rows != claimed:
            raise pa.ArrowInvalid(f"it holds {rows:,} rows where its footer claims {claimed:,}")
    held = frozenset(found.places)
    unordered = in_turn.unordered if order else None
    path = data_file.path
    return FileMeasured(
        *(path, size, rows, None, schema_of(file), seen, held, derived, inside, None, unordered, PARQUET),
        groups=row_groups(file.metadata) if groups is None or 0 in groups else None,
    )


def _claimed(metadata: pq.FileMetaData, groups: tuple[int, ...] | None) -> int:
    """The number of rows by the footer, in these row groups."""
    if groups is None:
        return int(metadata.num_rows)
    return sum(metadata.row_group(group).num_rows for group in groups)


PARQUET = "PARQUET"
MAGIC = {b"PAR1": PARQUET, b"PARE": PARQUET, **row_counts.MAGIC}
"""First bytes of a file, and its format; PARE begins a Parquet file with an encrypted footer."""


def _not_read(objects: Objects, source: pa.NativeFile | None, path: str, size: int) -> FileMeasured:
    """A file that is not Parquet by the metadata. Its rows are counted, if its first bytes are of ORC or Avro."""
    try:
        return objects.within(lambda: _counted(source or objects.open(path), path, size), size)
    except Unread as error:
        return FileMeasured(path, size, unread=error.reason)
    except (OSError, ValueError, pa.ArrowException) as error:
        if is_of_store(path, error):
            return FileMeasured(path, size, unread=f"cannot be read: {first_line(error)}")
        return FileMeasured(path, size, malformed=f"cannot be read: {first_line(error)}")


def _counted(opened: pa.NativeFile, path: str, size: int) -> FileMeasured:
    with opened as source:
        begins = source.read(max(map(len, MAGIC)))
        format = next((format for magic, format in MAGIC.items() if begins.startswith(magic)), None)
        if format not in row_counts.MAGIC.values():
            return FileMeasured(path, size, format=format)
        source.seek(0)
        return FileMeasured(path, size, counted=row_counts.rows_in(source, str(format)), format=format)


def least_or_greatest(values: pa.Array, side: str) -> pa.Scalar:
    """The min or max of some extremes."""
    return values[0] if len(values) == 1 else min_max(values)[side]


def min_max(values: pa.Array) -> dict[str, pa.Scalar]:
    """Min and max, where -0.0 precedes +0.0 (Iceberg spec, Manifests)."""
    extremes = pc.min_max(values)
    found = {side: extremes[side] for side in ("min", "max")}
    if pa.types.is_floating(values.type) and 0.0 in (found["min"].as_py(), found["max"].as_py()):
        zeros = np.signbit(np.asarray(values.filter(pc.equal(values, 0.0), null_selection_behavior="drop")))
        for side, there, zero in (("min", zeros.any(), -0.0), ("max", (~zeros).any(), 0.0)):
            if found[side].as_py() == 0.0:
                found[side] = pa.scalar(zero if there else -zero, values.type)
    return found


def _demand_text(extremes: Mapping[str, pa.Scalar]) -> None:
    """Raises UnicodeDecodeError for text that is no UTF-8, which Arrow reads and Python cannot."""
    for one in extremes.values():
        one.as_py()


def _distinct(values: pa.DictionaryArray) -> pa.Array:
    """The values that occur; a dictionary may hold unused ones."""
    return values.dictionary.take(pc.unique(values.indices).drop_null())

"""Measures one data file: the kernel that every scanner runs. It needs only Arrow.

It decodes values batch by batch and never uses footer statistics, which carry the faults under audit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from xtable_audit.model.malformed import Malformed, first_line
from xtable_audit.model.objects import Objects
from xtable_audit.model.wanted import DataFile, NameMapping, Wanted
from xtable_audit.values.nested_nulls import nulls_inside
from xtable_audit.values.parquet import (
    BATCH_ROWS,
    FileColumns,
    FileSchema,
    find_field,
    open_parquet,
    repetitive,
    schema_of,
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
    is None if it is not read: it does not exist, is not Parquet by the metadata, or is `malformed`.
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
    format: str | None = None
    """Its format by its first bytes, as in Iceberg metadata: `PARQUET`; None if they are of no format of Iceberg's."""


def measure_file(
    objects: Objects, data_file: DataFile, wanted: Wanted, groups: tuple[int, ...] | None = None
) -> FileMeasured:
    """Measures one file, or row groups of it. A column that it lacks is as in `FileColumns`."""
    path = data_file.path
    try:
        size = objects.size(path)
    except Malformed as error:
        return FileMeasured(path, None, malformed=error.reason)
    if size is None:
        return FileMeasured(path, size)
    if not data_file.is_parquet:
        return FileMeasured(path, size, format=_format(objects, path))
    try:
        with objects.open(path) as source:
            file = open_parquet(source)
            few = repetitive(file.metadata)
            if few:
                file = open_parquet(source, metadata=file.metadata, read_dictionary=few)
            return _measured(file, path, size, wanted, data_file.constants, data_file.mapping, groups)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        reason = f"is not the Parquet file the metadata describes: {first_line(error)}"
    except OSError as error:
        reason = f"cannot be read as Parquet: {first_line(error)}"
    return FileMeasured(path, size, malformed=reason)


def _measured(
    file: pq.ParquetFile,
    path: str,
    size: int,
    wanted: Wanted,
    constants: Mapping[str, pa.Scalar],
    mapping: NameMapping | None,
    groups: tuple[int, ...] | None,
) -> FileMeasured:
    own = FileSchema.of(file.schema_arrow, mapping)
    schema, by_id = own.schema, own.by_id
    seen = {column.path: ColumnMeasured(column.arrow) for column in wanted.columns}
    derived = {one.name: ColumnMeasured(one.arrow) for one in wanted.derived}
    columns = {column.path: column for column in wanted.columns}
    inside: dict[str, tuple[int, int]] = {}
    found = FileColumns.of(own, wanted.columns, constants)
    demanding = {
        schema.field(number).name: (shape, schema.field(number).type)
        for shape in wanted.demanding
        if (number := find_field(schema, shape, by_id=by_id)) is not None
    }
    rows = 0

    for batch in file.iter_batches(BATCH_ROWS, columns=sorted(found.roots | set(demanding)), row_groups=groups):
        rows += batch.num_rows
        for column in wanted.columns:
            seen[column.path].see(found.values(batch, column))
        for one in wanted.derived:
            derived[one.name].see(one.of(found.values(batch, columns[one.column])))
        for name, (shape, kind) in demanding.items():
            for path_inside, around, null in nulls_inside(batch[name], kind, shape, shape.name, by_id=by_id):
                before = inside.get(path_inside, (0, 0))
                inside[path_inside] = before[0] + around, before[1] + null
    held = frozenset(found.places)
    return FileMeasured(path, size, rows, None, schema_of(file), seen, held, derived, inside, PARQUET)


PARQUET = "PARQUET"
MAGIC = {b"PAR1": PARQUET, b"PARE": PARQUET, b"Obj\x01": "AVRO", b"ORC": "ORC"}
"""First bytes of a file, and its format; PARE begins a Parquet file with an encrypted footer."""


def _format(objects: Objects, path: str) -> str | None:
    try:
        with objects.open(path) as source:
            begins = source.read(max(map(len, MAGIC)))
    except (OSError, pa.ArrowException):
        return None
    return next((format for magic, format in MAGIC.items() if begins.startswith(magic)), None)


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


def _distinct(values: pa.DictionaryArray) -> pa.Array:
    """The values that occur; a dictionary may hold unused ones."""
    return values.dictionary.take(pc.unique(values.indices).drop_null())

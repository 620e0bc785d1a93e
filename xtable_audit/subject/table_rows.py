"""The rows of a table: those of each live file, as often as it is listed, independent of stored counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.model.columns import RowField
from xtable_audit.model.kept_results import digest
from xtable_audit.model.malformed import Malformed, check_reachable, first_line, given_up
from xtable_audit.model.objects import Objects
from xtable_audit.model.scalars import without_views
from xtable_audit.model.scan_input import DataFile, DataFiles
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.values.deleted_rows import live_rows, with_vector
from xtable_audit.values.open_parquet import open_held
from xtable_audit.values.parquet import FileColumns, FileSchema, find_field


@dataclass(frozen=True)
class Rows:
    """`values`: one column per top-level column of the schema. `place`: for each row, the index of its file in the
    stored metrics.

    Values have the files' own types, widened if files differ.
    """

    values: pa.Table
    place: pa.Array


def read_rows(objects: Objects, stored: StoredMetrics, files: DataFiles) -> Rows:
    """Every row that a reader finds in these files without a predicate. Raises Malformed.

    Missing files have no rows.
    """
    fields = stored.native.row_fields(stored.columns_set_aside)

    def given() -> str:
        return digest(files.digest, repr(stored.paths), repr(fields))

    return objects.kept("rows", given, files.paths, lambda watched: _rows(watched, stored, files, fields))


def _rows(objects: Objects, stored: StoredMetrics, files: DataFiles, fields: Sequence[RowField]) -> Rows:
    def read(file: DataFile) -> pa.Table | None:
        there = objects.size(file.path) is not None
        return _read(objects, file, fields, stored.native.partitions_first) if there else None

    found = objects.each(read, [*files], lambda file, error: given_up(file.path, error))
    once = {path: rows for path, rows in zip(files.paths, found, strict=True) if rows is not None}
    listed = [(place, once[path]) for place, path in enumerate(stored.paths) if path in once]
    if not listed:
        return Rows(pa.table({field.name: pa.nulls(0) for field in fields}), pa.array([], pa.int64()))
    try:
        values = pa.concat_tables([table for _, table in listed], promote_options="permissive")
    except pa.ArrowException as error:
        raise Malformed(stored.metadata_location, f"lists files of types that do not go together: {error}") from error
    places = np.repeat([place for place, _ in listed], [table.num_rows for _, table in listed])
    return Rows(values, pa.array(places, pa.int64()))


def _read(objects: Objects, file: DataFile, fields: Sequence[RowField], partitions_first: bool) -> pa.Table:
    try:
        with objects.open(file.path) as source:
            held = without_views(open_held(source, objects.limits.footer).read()).combine_chunks()
    except (pa.ArrowException, OSError) as error:
        check_reachable(file.path, error)
        raise Malformed(file.path, f"cannot be read as Parquet: {first_line(error)}") from error
    file, own = with_vector(objects, file), FileSchema.of(held.schema, file.mapping)
    known = file.constants if partitions_first else {}
    rows = pa.table(
        {
            field.name: pa.repeat(known[field.name], held.num_rows)
            if field.name in known
            else _column(held, own, field, file.constants.get(field.name))
            for field in fields
        }
    )
    keys = [column for one in file.deletes.equality for column in one.columns]
    found = FileColumns.of(own, keys, file.constants)
    batch = pa.RecordBatch.from_arrays([column.combine_chunks() for column in held.columns], schema=held.schema)
    live = live_rows(held.num_rows, 0, file.deletes, partial(found.values, batch))
    return rows if live is None else rows.filter(pa.array(live))


def _column(held: pa.Table, own: FileSchema, wanted: RowField, constant: pa.Scalar | None) -> pa.Array:
    """The file's own column, else the partition value, the default or null (Iceberg spec, Column Projection)."""
    place = find_field(own.schema, wanted, by_id=own.by_id)
    if place is not None:
        kind = own.schema.field(place).type
        return projected(held.column(place).combine_chunks(), kind, wanted, by_id=own.by_id)
    return wanted.lacking(held.num_rows) if constant is None else pa.repeat(constant, held.num_rows)


def projected(values: pa.Array, kind: pa.DataType, wanted: RowField, *, by_id: bool) -> pa.Array:
    """A struct with the schema's fields under the schema's names; other values unchanged.

    `kind` is the type of the values, with field ids.
    """
    if wanted.inside is None or not pa.types.is_struct(values.type):
        return values
    children = []
    for field in wanted.inside:
        place = find_field(kind, field, by_id=by_id)
        if place is None:
            children.append(field.lacking(len(values)))
        else:
            children.append(projected(values.field(place), kind.field(place).type, field, by_id=by_id))
    names = [field.name for field in wanted.inside]
    return pa.StructArray.from_arrays(children, names, mask=pc.is_null(values))

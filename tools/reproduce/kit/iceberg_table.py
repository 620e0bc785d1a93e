"""A table by its Iceberg metadata, as PyIceberg reads it: live files, and what is stored of their columns."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from columns import Column, physical  # type: ignore[import-not-found]
from files import local  # type: ignore[import-not-found]
from pyiceberg.conversions import from_bytes
from pyiceberg.expressions import AlwaysTrue, EqualTo, Reference
from pyiceberg.expressions.literals import literal
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.table import StaticTable
from pyiceberg.types import NestedField, PrimitiveType, StructType
from readers import answer  # type: ignore[import-not-found]

FIELD_ID = b"PARQUET:field_id"


def absent_files(table: StaticTable) -> set[str]:
    """Live data files at whose address there is no file."""
    paths = [local(entry.data_file.file_path) for entry in entries(table)]
    return {str(path) for path in paths if not path.exists()}


def entries(table: StaticTable) -> Iterator[Any]:
    snapshot = table.current_snapshot()
    for manifest in snapshot.manifests(table.io) if snapshot else []:
        yield from manifest.fetch_manifest_entry(table.io, discard_deleted=True)


def by_pyiceberg(table: StaticTable, equal: tuple[str, Any] | None = None) -> int | str:
    where = EqualTo(term=Reference(equal[0]), value=literal(equal[1])) if equal else AlwaysTrue()
    found: int | str = answer(lambda: table.scan(row_filter=where).to_arrow().num_rows)
    return found


def leaves(fields: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], NestedField]]:
    for field in fields:
        if isinstance(field.field_type, StructType):
            yield from leaves(field.field_type.fields, (*path, field.name))
        elif isinstance(field.field_type, PrimitiveType):
            yield (*path, field.name), field


def measured(table: StaticTable, file: Any, path: Path) -> Iterator[Column]:
    """A column that the file lacks is null in it, and is measured where something is stored of it."""
    rows = pq.read_table(path, partitioning=None, coerce_int96_timestamp_unit="us")
    for name, field in leaves(table.schema().fields):
        column = column_of(table.schema().find_field(name[0]), rows.schema)
        if column is None and (len(name) > 1 or field.field_id not in (file.null_value_counts or {})):
            continue
        values = pa.nulls(rows.num_rows) if column is None else rows.column(column).combine_chunks()
        for part in name[1:]:
            values = pc.struct_field(values, part)
        known = physical(values.drop_null())
        yield Column(
            file=path.name,
            name=".".join(name),
            kind=schema_to_pyarrow(field.field_type),
            lower=bound(file.lower_bounds, field),
            upper=bound(file.upper_bounds, field),
            least=min(known, default=None),
            greatest=max(known, default=None),
            nulls=(file.null_value_counts or {}).get(field.field_id),
            values=(file.value_counts or {}).get(field.field_id),
            actual_nulls=values.null_count,
            actual_values=len(values),
        )


def column_of(field: NestedField, schema: pa.Schema) -> str | None:
    """The file's column of a field: by its id if the file has ids, else by its name."""
    ids = {int(one.metadata[FIELD_ID]): one.name for one in schema if one.metadata and FIELD_ID in one.metadata}
    if ids:
        return ids.get(field.field_id)
    return field.name if field.name in schema.names else None


def bound(stored: dict[int, bytes] | None, field: NestedField) -> Any:
    if not stored or field.field_id not in stored or not isinstance(field.field_type, PrimitiveType):
        return None
    value = from_bytes(field.field_type, stored[field.field_id])
    return value.encode() if isinstance(value, str) else value

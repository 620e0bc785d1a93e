"""Nulls where the schema allows none, inside lists, maps and structs: in values that are there themselves."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.schema import Schema
from pyiceberg.types import IcebergType, ListType, MapType, NestedField, StructType

from xtable_audit.values.fields import children
from xtable_audit.values.parquet import find_field

Counts = Iterator[tuple[str, int, int]]
"""Path of a required field, the values that are there around it, and how many of its own are null."""


def demanding(schema: Schema) -> tuple[NestedField, ...]:
    """The columns that hold a required field inside them."""
    return tuple(field for field in schema.fields if _demands(field.field_type))


def _demands(kind: IcebergType) -> bool:
    return any(child.required or _demands(child.field_type) for child in children(kind))


def nulls_inside(values: pa.Array, field: NestedField, path: str, *, by_id: bool) -> Counts:
    """For each required field inside this one that the file holds; keys of maps, which Parquet keeps from being null,
    are left out. `values` are those of the field, which is not counted itself.
    """
    there = values.drop_null()
    match field.field_type:
        case StructType(fields=fields) if pa.types.is_struct(there.type):
            for child in fields:
                place = find_field(there.type, child, by_id=by_id)
                if place is not None:
                    yield from _of_child(there.field(place), child, path, by_id=by_id)
        case ListType(element_field=element) if pa.types.is_list(there.type) or pa.types.is_large_list(there.type):
            yield from _of_child(pc.list_flatten(there), element, path, by_id=by_id)
        case MapType(value_field=value) if pa.types.is_map(there.type):
            first, last = (int(there.offsets[place].as_py()) for place in (0, len(there)))
            yield from _of_child(there.items.slice(first, last - first), value, path, by_id=by_id)


def _of_child(values: pa.Array, child: NestedField, path: str, *, by_id: bool) -> Counts:
    below = f"{path}.{child.name}"
    if child.required:
        yield below, len(values), values.null_count
    yield from nulls_inside(values, child, below, by_id=by_id)

"""Every field of an Iceberg schema, at any depth, and where a data file holds it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa
from pyiceberg.schema import Schema
from pyiceberg.types import IcebergType, ListType, MapType, NestedField, StructType

from xtable_audit.model.wanted import Shape
from xtable_audit.values.parquet import carries_ids, field_id


@dataclass(frozen=True)
class Node:
    """A field by its dotted path, which names list and map fields `element`, `key` and `value`."""

    path: str
    field_id: int
    type: IcebergType
    required: bool
    """Whether the field and all its parents are required."""


def nodes(schema: Schema) -> Iterator[Node]:
    """Every field of the schema, parents before children."""
    for field in schema.fields:
        yield from _below(field, "", required=True)


def _below(field: NestedField, prefix: str, *, required: bool) -> Iterator[Node]:
    node = Node(f"{prefix}{field.name}", field.field_id, field.field_type, required and field.required)
    yield node
    for child in children(field.field_type):
        yield from _below(child, f"{node.path}.", required=node.required)


def children(kind: IcebergType) -> tuple[NestedField, ...]:
    """The direct child fields of a type; empty for a primitive type."""
    match kind:
        case StructType():
            return kind.fields
        case ListType():
            return (kind.element_field,)
        case MapType():
            return kind.key_field, kind.value_field
    return ()


def shapes(schema: Schema) -> tuple[Shape, ...]:
    """The schema in plain objects."""
    return tuple(map(_shape, schema.fields))


def _shape(field: NestedField) -> Shape:
    inside = tuple(map(_shape, children(field.field_type)))
    match field.field_type:
        case StructType():
            return Shape(field.field_id, field.name, field.required, "struct", inside)
        case ListType():
            return Shape(field.field_id, field.name, field.required, "list", inside)
        case MapType():
            return Shape(field.field_id, field.name, field.required, "map", inside)
    return Shape(field.field_id, field.name, field.required, "primitive")


Held = tuple[Node, pa.DataType]


def held(schema: Schema, file: pa.Schema) -> Iterator[Held]:
    """The schema's fields that a file holds, with their types there; by field id if the file has ids, else by name."""
    by_id = carries_ids(file)
    types = {node.path: node for node in nodes(schema)}

    def walk(wanted: Iterable[NestedField], fields: Iterable[pa.Field], prefix: str) -> Iterator[Held]:
        known = {field_id(field) if by_id else field.name: field for field in fields}
        for field in wanted:
            found = known.get(field.field_id if by_id else field.name)
            if found is not None:
                node = types[f"{prefix}{field.name}"]
                yield node, found.type
                yield from inside(node, found.type)

    def inside(node: Node, found: pa.DataType) -> Iterator[Held]:
        match node.type:
            case StructType() if pa.types.is_struct(found):
                yield from walk(node.type.fields, found, f"{node.path}.")
            case ListType() if pa.types.is_list(found) or pa.types.is_large_list(found):
                yield from only(node, "element", found.value_type)
            case MapType() if pa.types.is_map(found):
                yield from only(node, "key", found.key_type)
                yield from only(node, "value", found.item_type)

    def only(node: Node, name: str, found: pa.DataType) -> Iterator[Held]:
        child = types[f"{node.path}.{name}"]
        yield child, found
        yield from inside(child, found)

    yield from walk(schema.fields, file, "")

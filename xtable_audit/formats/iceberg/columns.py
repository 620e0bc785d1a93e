"""The leaf columns of an Iceberg schema."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

import pyarrow as pa
from pyiceberg import types
from pyiceberg.schema import Schema
from pyiceberg.types import IcebergType, ListType, MapType, NestedField, PrimitiveType, StructType

from xtable_audit.model.columns import Leaf

JUDGED = (
    types.BinaryType,
    types.BooleanType,
    types.DateType,
    types.DecimalType,
    types.DoubleType,
    types.FixedType,
    types.FloatType,
    types.IntegerType,
    types.LongType,
    types.StringType,
    types.TimestampType,
    types.TimestamptzType,
    types.TimeType,
    types.UUIDType,
)
"""The primitive types of format versions 1 and 2. Columns of other types are set aside."""


def leaves(schema: Schema) -> tuple[Leaf, ...]:
    """Every judged column of `schema`, in schema order. Raises ArrowException for a default of another type."""
    return tuple(_walk(schema.fields, "", None))


def _walk(fields: tuple[NestedField, ...], prefix: str, parent: int | None) -> Iterator[Leaf]:
    for field in fields:
        path, kind = f"{prefix}{field.name}", field.field_type
        if isinstance(kind, StructType):
            yield from _walk(kind.fields, f"{path}.", field.field_id)
        elif isinstance(kind, JUDGED):
            yield Leaf(field.field_id, path, kind, arrow_type(kind), initial_default(field), parent)


def initial_default(field: NestedField) -> pa.Scalar | None:
    """The field's value in files that lack it (Iceberg spec, Default values); None for null."""
    value = field.initial_default
    if value is None:
        return None
    return pa.scalar(value.bytes if isinstance(value, UUID) else value, arrow_type(field.field_type))


def not_judged(schema: Schema) -> Iterator[tuple[str, NestedField]]:
    """The primitive fields that are not judged, at any depth, each with the name of its top-level column."""
    for column in schema.fields:
        yield from ((column.name, field) for field in _others(column))


def _others(field: NestedField) -> Iterator[NestedField]:
    match field.field_type:
        case StructType(fields=fields):
            inside = fields
        case ListType(element_field=element):
            inside = (element,)
        case MapType(key_field=key, value_field=value):
            inside = (key, value)
        case kind:
            if not isinstance(kind, JUDGED):
                yield field
            return
    for child in inside:
        yield from _others(child)


def arrow_type(iceberg: IcebergType) -> pa.DataType:
    """The Arrow type whose order matches the Iceberg spec's order for this type.

    Arrow compares strings as UTF-8 bytes, and binary (also used for fixed and UUID) as unsigned bytes.
    """
    from pyiceberg.io.pyarrow import schema_to_pyarrow  # late: it brings pandas, and a collection converts nothing

    converted = schema_to_pyarrow(iceberg)
    if pa.types.is_large_string(converted):
        return pa.string()
    if pa.types.is_large_binary(converted) or pa.types.is_fixed_size_binary(converted) or converted == pa.uuid():
        return pa.binary()
    return converted


def type_of(leaf: Leaf) -> PrimitiveType:
    """The Iceberg type of a table's leaf column."""
    assert isinstance(leaf.type, PrimitiveType), f"{leaf.path} is of type {leaf.type}"
    return leaf.type

"""The leaf columns of an Iceberg schema, which have bounds and counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
from pyiceberg.schema import Schema
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IcebergType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    PrimitiveType,
    StringType,
    StructType,
    TimestampType,
    TimestamptzType,
    TimeType,
    UUIDType,
)

from xtable_audit.model.wanted import Column

JUDGED = (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IntegerType,
    LongType,
    StringType,
    TimestampType,
    TimestamptzType,
    TimeType,
    UUIDType,
)
"""The primitive types of format versions 1 and 2. Columns of other types are set aside."""

HUDIS_OWN = "_hoodie_"
"""Name prefix of the metadata columns that Hudi adds to every table."""
COMMITTED = f"{HUDIS_OWN}commit_time"


@dataclass(frozen=True)
class Leaf:
    """A primitive column, top-level or inside structs.

    Leaves inside lists and maps count elements, not rows, and are not judged.
    """

    field_id: int
    path: str
    """Dotted: `address.city`."""
    type: PrimitiveType
    arrow: pa.DataType

    @property
    def column(self) -> Column:
        """The same column in the form that a scan takes."""
        return Column(self.field_id, self.path, self.arrow)


def leaves(schema: Schema) -> tuple[Leaf, ...]:
    """Every judged column of `schema`, in schema order."""
    return tuple(_walk(schema.fields, ""))


def _walk(fields: tuple[NestedField, ...], prefix: str) -> Iterator[Leaf]:
    for field in fields:
        path = f"{prefix}{field.name}"
        if isinstance(field.field_type, StructType):
            yield from _walk(field.field_type.fields, f"{path}.")
        elif isinstance(field.field_type, JUDGED):
            yield Leaf(field.field_id, path, field.field_type, arrow_type(field.field_type))


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

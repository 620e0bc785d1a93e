"""The leaf columns of an Iceberg schema: what bounds and counts are kept for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.schema import Schema
from pyiceberg.types import IcebergType, NestedField, PrimitiveType, StructType

from xtable_audit.model.wanted import Column


@dataclass(frozen=True)
class Leaf:
    """A primitive column, reached through structs only.

    Elements of lists and maps have counts of their own kind (elements, not rows) and are not judged.
    """

    field_id: int
    path: str
    """Dotted: `address.city`."""
    type: PrimitiveType
    arrow: pa.DataType

    @property
    def column(self) -> Column:
        """What a scan needs of it."""
        return Column(self.field_id, self.path, self.arrow)


def leaves(schema: Schema) -> tuple[Leaf, ...]:
    """Every judged column of `schema`, in schema order."""
    return tuple(_walk(schema.fields, ""))


def _walk(fields: tuple[NestedField, ...], prefix: str) -> Iterator[Leaf]:
    for field in fields:
        path = f"{prefix}{field.name}"
        if isinstance(field.field_type, StructType):
            yield from _walk(field.field_type.fields, f"{path}.")
        elif isinstance(field.field_type, PrimitiveType):
            yield Leaf(field.field_id, path, field.field_type, arrow_type(field.field_type))


def arrow_type(iceberg: IcebergType) -> pa.DataType:
    """The Arrow type whose order is the one the Iceberg spec gives this type.

    Strings as UTF-8 bytes; binary, fixed and UUIDs as unsigned bytes: both are compared bytewise by Arrow.
    """
    converted = schema_to_pyarrow(iceberg)
    if pa.types.is_large_string(converted):
        return pa.string()
    if pa.types.is_large_binary(converted) or pa.types.is_fixed_size_binary(converted) or converted == pa.uuid():
        return pa.binary()
    return converted

"""Every field of an Iceberg schema, where a data file holds it, by id or by name, and whether its type can be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
from pyiceberg import types
from pyiceberg.schema import Schema
from pyiceberg.types import IcebergType, ListType, MapType, NestedField, StructType

from xtable_audit.model.finding import Verdict
from xtable_audit.model.malformed import Malformed, first_line
from xtable_audit.model.scalars import without_view
from xtable_audit.model.scan_input import Mapped, NameMapping, Shape
from xtable_audit.values.parquet import carries_ids, field_id

if TYPE_CHECKING:
    from pyiceberg.table.metadata import TableMetadata
    from pyiceberg.table.name_mapping import MappedField


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


PROPERTY = "schema.name-mapping.default"


def name_mapping(metadata: TableMetadata, location: str) -> NameMapping | None:
    """None if the table has no name mapping. Raises Malformed if it cannot be parsed."""
    given = metadata.properties.get(PROPERTY)
    if given is None:
        return None
    from pyiceberg.table.name_mapping import parse_mapping_from_json  # late: a collection reads no metadata

    try:
        return _by_name(parse_mapping_from_json(given).root)
    except ValueError as error:
        raise Malformed(location, f"has a {PROPERTY} that is none: {first_line(error)}") from error


def _by_name(fields: Iterable[MappedField]) -> NameMapping:
    return {name: Mapped(field.field_id, _by_name(field.fields)) for field in fields for name in field.names}


def misread(found: pa.DataType, wanted: IcebergType) -> Verdict | None:
    """None if readers see every value unchanged: the same type, a legal promotion, or a coarser unit of time.

    UNSOUND if a reader that trusts the schema reads other values, UNREADABLE if readers refuse the file.
    """
    found = _plain(found)
    match wanted:
        case types.DecimalType() if pa.types.is_decimal(found):
            if found.scale != wanted.scale:
                return Verdict.UNSOUND
            return None if found.precision <= wanted.precision else Verdict.UNREADABLE
        case types.IntegerType() | types.LongType() if pa.types.is_unsigned_integer(found):
            return None if found.bit_width < 32 else Verdict.UNSOUND  # read as signed ones
        case types.TimestampType() | types.TimestamptzType() if pa.types.is_timestamp(found):
            same_zone = (found.tz is not None) == isinstance(wanted, types.TimestamptzType)
            if found.unit == "ns":
                return Verdict.UNREADABLE
            return None if same_zone else Verdict.UNSOUND  # DuckDB reads them in the zone of its session
        case types.FixedType() | types.UUIDType() if pa.types.is_fixed_size_binary(found):
            length = 16 if isinstance(wanted, types.UUIDType) else wanted.root
            return None if found.byte_width == length else Verdict.UNREADABLE
    fits = next((test for kind, test in READ_FROM.items() if isinstance(wanted, kind)), None)
    return None if fits is None or pa.types.is_null(found) or fits(found) else Verdict.UNREADABLE


def _plain(found: pa.DataType) -> pa.DataType:
    if isinstance(found, pa.BaseExtensionType):
        found = found.storage_type
    return without_view(found.value_type if pa.types.is_dictionary(found) else found)


def _is_int(found: pa.DataType) -> bool:
    return bool(pa.types.is_signed_integer(found) and found.bit_width <= 32)


def _is_text(found: pa.DataType) -> bool:
    """Old writers omit the annotation that distinguishes text from bytes, so readers accept either as the other."""
    return any(
        test(found)
        for test in (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary)
    )


READ_FROM = {
    types.BooleanType: pa.types.is_boolean,
    types.IntegerType: _is_int,
    types.LongType: pa.types.is_signed_integer,
    types.FloatType: pa.types.is_float32,
    types.DoubleType: lambda found: pa.types.is_float32(found) or pa.types.is_float64(found),
    types.DecimalType: pa.types.is_decimal,
    types.DateType: pa.types.is_date,
    types.TimeType: pa.types.is_time,
    types.TimestampType: pa.types.is_timestamp,
    types.TimestamptzType: pa.types.is_timestamp,
    types.StringType: _is_text,
    types.BinaryType: _is_text,
    types.FixedType: pa.types.is_fixed_size_binary,
    types.UUIDType: pa.types.is_fixed_size_binary,
    types.StructType: pa.types.is_struct,
    types.ListType: lambda found: pa.types.is_list(found) or pa.types.is_large_list(found),
    types.MapType: pa.types.is_map,
}
"""Types of later format versions are not judged: no release of XTable writes them."""

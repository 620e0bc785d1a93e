"""Resolves a table's column in a data file and reads its values in the table's type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from xtable_audit.model.deviation_kind import DeviationKind
from xtable_audit.model.malformed import ColumnMisfit
from xtable_audit.model.scan_input import Mapped, NameMapping, OnlyNames, WantedColumn


class DoesNotFit(pa.ArrowInvalid):  # type: ignore[misc]
    """A column of the file does not fit the table's."""

    def __init__(self, words: str, misfit: ColumnMisfit) -> None:
        super().__init__(words)
        self.misfit = misfit


class NamedField(Protocol):
    """A field of the table's schema."""

    @property
    def field_id(self) -> int: ...

    @property
    def name(self) -> str: ...


class LeafOfTable(Protocol):
    """A leaf column of the table's schema."""

    @property
    def field_id(self) -> int: ...

    @property
    def path(self) -> str: ...


Place = tuple[str, ...]
"""The path of a column in a file, as a tuple of names from the outermost."""


def locate(schema: pa.Schema, leaf: LeafOfTable) -> Place | None:
    """The column's place in a file, by field id if the file has ids, else by name (Iceberg spec, Column Projection)."""
    if carries_ids(schema):
        return _by_id(list(schema), leaf.field_id)
    place = tuple(leaf.path.split("."))
    return place if place in set(_names(schema, ())) else None


@dataclass(frozen=True)
class FileSchema:
    """A file's schema, with the field ids that resolve its columns.

    Iceberg spec, Column Projection: the file's own ids apply, else those of the table's name mapping; a column with
    neither is absent. Without a name mapping readers resolve by name or refuse the file. Where a format resolves by
    names alone, its mapping is `OnlyNames`.
    """

    schema: pa.Schema
    by_id: bool

    @classmethod
    def of(cls, schema: pa.Schema, mapping: NameMapping | None) -> FileSchema:
        if mapping is None or (carries_ids(schema) and not isinstance(mapping, OnlyNames)):
            return cls(schema, carries_ids(schema))
        return cls(pa.schema([_identified(one, mapping.get(one.name)) for one in schema]), by_id=True)


def _identified(field: pa.Field, mapped: Mapped | None) -> pa.Field:
    """The field and its children with the ids of the mapping."""
    known = mapped is not None and mapped.field_id is not None
    kind = _identified_inside(field.type, mapped.inside if mapped else {})
    return field.with_type(kind).with_metadata({FIELD_ID: str(mapped.field_id)} if mapped and known else None)


def _identified_inside(kind: pa.DataType, inside: NameMapping) -> pa.DataType:
    if pa.types.is_struct(kind):
        return pa.struct([_identified(one, inside.get(one.name)) for one in kind])
    if pa.types.is_list(kind):
        return pa.list_(_identified(kind.value_field, inside.get("element")))
    if pa.types.is_map(kind):
        return pa.map_(
            _identified(kind.key_field, inside.get("key")), _identified(kind.item_field, inside.get("value"))
        )
    return kind


def locate_all(file: FileSchema, columns: Iterable[WantedColumn]) -> dict[str, Place]:
    """Path -> place, for each of the columns that the file holds, in one pass over its schema."""
    schema = file.schema
    if file.by_id:
        ids = dict(reversed(list(_ids(schema, ()))))  # the first of two fields with the same id wins
        return {column.path: ids[column.field_id] for column in columns if column.field_id in ids}
    names = set(_names(schema, ()))
    return {column.path: place for column in columns if (place := tuple(column.path.split("."))) in names}


@dataclass(frozen=True)
class FileColumns:
    """A table's columns in a file (Iceberg spec, Column Projection): its own, else a constant, the default or null."""

    places: Mapping[str, Place]
    """Columns that the file holds, by path."""
    around: Mapping[str, Place]
    """The structs around columns with a default that the file lacks, by the column's path."""
    constants: Mapping[str, pa.Scalar]

    @classmethod
    def of(cls, file: FileSchema, columns: Iterable[WantedColumn], constants: Mapping[str, pa.Scalar]) -> FileColumns:
        columns = list(columns)
        places = locate_all(file, columns)
        structs = {
            one.path: WantedColumn(one.parent, one.path.rpartition(".")[0], one.arrow)
            for one in columns
            if one.path not in places and one.default is not None and one.parent is not None
        }
        found = locate_all(file, structs.values()) if structs else {}
        around = {path: found[struct.path] for path, struct in structs.items() if struct.path in found}
        return cls(places, around, constants)

    @property
    def roots(self) -> set[str]:
        """The file's top-level columns that `values` reads."""
        return {place[0] for place in (*self.places.values(), *self.around.values())}

    def root(self, column: WantedColumn) -> str | None:
        """The file's top-level column that its `values` come from; None if they are constant, or null."""
        place = self.places.get(column.path) or self.around.get(column.path)
        return place[0] if place else None

    def values(self, batch: pa.RecordBatch, column: WantedColumn) -> pa.Array:
        """The column's values. A default inside a struct holds where the struct is present."""
        if column.path in self.places:
            return column_values(batch, self.places[column.path], column.arrow)
        around = self.around.get(column.path)
        if column.path in self.constants:
            return pa.repeat(self.constants[column.path], len(batch))
        if column.default is None or (column.parent is not None and around is None):
            return pa.nulls(len(batch), column.arrow)
        values = pa.repeat(column.default, len(batch))
        return values if around is None else pc.if_else(_at(batch, around).is_valid(), values, pa.scalar(None))


def _ids(fields: Iterable[pa.Field], around: Place) -> Iterator[tuple[int | None, Place]]:
    for field in fields:
        place = (*around, field.name)
        yield field_id(field), place
        if pa.types.is_struct(field.type):
            yield from _ids(field.type, place)


def _names(fields: Iterable[pa.Field], around: Place) -> Iterator[Place]:
    """The first of two fields with the same name wins, with what is inside it."""
    for name, field in {field.name: field for field in reversed(list(fields))}.items():
        place = (*around, name)
        yield place
        if pa.types.is_struct(field.type):
            yield from _names(field.type, place)


def schema_of(schema: pq.ParquetSchema, arrow: pa.Schema) -> pa.Schema:
    """A file's types and field ids, without other metadata of the footer. `arrow` is its `schema_arrow`.

    INT96 does not record whether its timestamps have a zone; it reads as timestamps in UTC.
    """
    instants = any(schema.column(number).physical_type == "INT96" for number in range(len(schema)))
    return pa.schema([_bare(field.with_type(_instants(field.type)) if instants else field) for field in arrow])


def _bare(field: pa.Field) -> pa.Field:
    metadata = field.metadata
    if not metadata or metadata.keys() == {FIELD_ID}:
        return field
    return field.with_metadata({FIELD_ID: metadata[FIELD_ID]} if FIELD_ID in metadata else None)


FIELD_ID = b"PARQUET:field_id"


def _instants(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_timestamp(kind):
        return pa.timestamp(kind.unit, kind.tz or "UTC")
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_instants(field.type)) for field in kind])
    if pa.types.is_map(kind):
        return pa.map_(kind.key_type, _instants(kind.item_type))
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_instants(kind.value_type)))
    return kind


def carries_ids(schema: pa.Schema) -> bool:
    """Whether any top-level column of the file has a field id."""
    return any(field_id(arrow_field) is not None for arrow_field in schema)


def field_id(arrow_field: pa.Field) -> int | None:
    """The column's Iceberg field id in the Parquet file."""
    tag = (arrow_field.metadata or {}).get(FIELD_ID)
    return int(tag) if tag is not None else None


def find_field(fields: Iterable[pa.Field], wanted: NamedField, *, by_id: bool) -> int | None:
    """The index of a field among those of a file or a struct in it, by id or by name."""
    for place, field in enumerate(fields):
        if (field_id(field) == wanted.field_id) if by_id else (field.name == wanted.name):
            return place
    return None


def _by_id(fields: list[pa.Field], wanted: int) -> Place | None:
    for arrow_field in fields:
        if field_id(arrow_field) == wanted:
            return (arrow_field.name,)
        if pa.types.is_struct(arrow_field.type):
            below = _by_id(list(arrow_field.type), wanted)
            if below:
                return (arrow_field.name, *below)
    return None


def _at(batch: pa.RecordBatch, place: Place) -> pa.Array:
    values = batch.column(place[0])
    for name in place[1:]:
        values = pc.struct_field(values, name)
    return values


def column_values(batch: pa.RecordBatch, place: tuple[str, ...], target: pa.DataType) -> pa.Array:
    """The values at `place`, cast to the table's type without loss (a null struct makes its leaves null).

    Dictionary-encoded if the file was opened that way.

    Raises DoesNotFit for values of another kind, such as text for numbers, which no reader accepts, and for a value
    that the table's type cannot hold.
    """
    values = _at(batch, place)
    if isinstance(values.type, pa.BaseExtensionType):
        values = values.storage
    if values.type == target or values.type == pa.dictionary(pa.int32(), target):
        return values
    column = ".".join(place)
    if not _same_kind(values.type, target):
        misfit = ColumnMisfit(DeviationKind.ANOTHER_TYPE, column)
        raise DoesNotFit(f"column {column} holds {values.type} for {target}", misfit)
    try:
        return pc.cast(values, target)
    except pa.ArrowInvalid as error:
        raise DoesNotFit(str(error), ColumnMisfit(DeviationKind.BEYOND_TYPE, column)) from error


def _same_kind(found: pa.DataType, wanted: pa.DataType) -> bool:
    found = found.value_type if pa.types.is_dictionary(found) else found
    return pa.types.is_null(found) or any(is_kind(found) and is_kind(wanted) for is_kind in KINDS)


def _is_bytes(type: pa.DataType) -> bool:
    """Includes text: old writers omit the annotation that distinguishes it from bytes."""
    return bool(
        pa.types.is_string_view(type)
        or pa.types.is_binary_view(type)
        or pa.types.is_string(type)
        or pa.types.is_large_string(type)
        or pa.types.is_binary(type)
        or pa.types.is_large_binary(type)
        or pa.types.is_fixed_size_binary(type)
    )


KINDS = (
    pa.types.is_boolean,
    pa.types.is_integer,
    pa.types.is_floating,
    pa.types.is_decimal,
    pa.types.is_date,
    pa.types.is_time,
    pa.types.is_timestamp,
    _is_bytes,
)
"""Types of one kind convert into each other if no value changes: int to long, float to double, millis to micros."""

"""Partition transforms of values (Iceberg spec, Partition Transforms), computed by PyIceberg's functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg import partitioning
from pyiceberg.schema import Schema
from pyiceberg.transforms import (
    BucketTransform,
    IdentityTransform,
    TimeTransform,
    Transform,
    TruncateTransform,
    UnknownTransform,
    VoidTransform,
)
from pyiceberg.types import PrimitiveType

from xtable_audit.formats.iceberg.columns import arrow_type, type_of
from xtable_audit.model.columns import Leaf
from xtable_audit.table.partitions import PartitionField, Partitioning, TransformKind


@dataclass(frozen=True)
class Bucketed:
    """A partition field whose transform does not preserve order, so min and max do not suffice to check it."""

    name: str
    column: str
    """Path of the source column."""
    source: PrimitiveType
    """Type of the source column."""
    arrow: pa.DataType
    transform: Transform[Any, Any]

    def of(self, values: pa.Array) -> pa.Array:
        """The transform of each distinct value."""
        return transformed(pc.unique(values), self.source, self.transform)


KINDS: Mapping[type[Any], TransformKind] = {
    IdentityTransform: TransformKind.IDENTITY,
    TimeTransform: TransformKind.TIME,
    TruncateTransform: TransformKind.TRUNCATE,
    BucketTransform: TransformKind.BUCKET,
    VoidTransform: TransformKind.VOID,
}


@dataclass(frozen=True)
class IcebergTransform:
    """A partition transform of Iceberg's."""

    transform: Transform[Any, Any]

    @property
    def kind(self) -> TransformKind:
        return next((kind for known, kind in KINDS.items() if isinstance(self.transform, known)), TransformKind.UNKNOWN)

    @property
    def keeps_order(self) -> bool:
        return keeps_order(self.transform)

    def of(self, values: pa.Array | pa.ChunkedArray, column: Leaf) -> pa.Array:
        return transformed(values, type_of(column), self.transform)

    def __str__(self) -> str:
        return str(self.transform)


def field_of(field: partitioning.PartitionField, schema: Schema) -> PartitionField:
    """The same field of a spec, in terms of no format."""
    source = schema.find_column_name(field.source_id)
    return PartitionField(field.field_id, field.name, field.source_id, source, IcebergTransform(field.transform))


def buckets(spec: Partitioning, leaves: tuple[Leaf, ...]) -> tuple[Bucketed, ...]:
    """The fields of the spec that are measured value by value, named as `bucket[8](id)`."""
    return tuple(
        derived(field.transform.transform, leaf)
        for field, leaf in spec.fields(leaves)
        if isinstance(field.transform, IcebergTransform) and not field.transform.keeps_order
    )


def derived(transform: Transform[Any, Any], leaf: Leaf) -> Bucketed:
    """The transform of a column's values."""
    kind = arrow_type(transform.result_type(type_of(leaf)))
    return Bucketed(f"{transform}({leaf.path})", leaf.path, type_of(leaf), kind, transform)


def keeps_order(transform: Transform[Any, Any]) -> bool:
    """Whether the transforms of min and max bound the transforms of all values between. True for unknown transforms."""
    return transform.preserves_order or isinstance(transform, UnknownTransform)


def transformed(values: pa.Array | pa.ChunkedArray, source: PrimitiveType, transform: Transform[Any, Any]) -> pa.Array:
    """The transform of each value, typed as the partition tuple. Null stays null."""
    function: Callable[[Any], Any] = transform.transform(source)
    plain = [None if value is None else function(value) for value in _internal(values).to_pylist()]
    result = transform.result_type(source)
    arrow = arrow_type(result)
    if pa.types.is_date32(arrow):
        return pa.array(plain, pa.int32()).cast(arrow)
    return pa.array(plain, arrow)


def _internal(values: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """The integers that PyIceberg's transforms expect for dates (days), times and timestamps (microseconds)."""
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if pa.types.is_date32(values.type):
        return values.cast(pa.int32())
    if pa.types.is_timestamp(values.type) or pa.types.is_time64(values.type):
        return values.cast(pa.int64())
    return values

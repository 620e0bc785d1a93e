"""Partition transforms of values (Iceberg spec, Partition Transforms), computed by PyIceberg's functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.transforms import Transform, UnknownTransform
from pyiceberg.types import PrimitiveType

from xtable_audit.model.columns import Leaf, arrow_type


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


def buckets(spec: PartitionSpec, leaves: tuple[Leaf, ...]) -> tuple[Bucketed, ...]:
    """The fields of the spec that are measured value by value, named as `bucket[8](id)`."""
    by_id = {leaf.field_id: leaf for leaf in leaves}
    return tuple(
        derived(field.transform, leaf)
        for field in spec.fields
        if not keeps_order(field.transform) and (leaf := by_id.get(field.source_id)) is not None
    )


def derived(transform: Transform[Any, Any], leaf: Leaf) -> Bucketed:
    """The transform of a column's values."""
    kind = arrow_type(transform.result_type(leaf.type))
    return Bucketed(f"{transform}({leaf.path})", leaf.path, leaf.type, kind, transform)


def named(field: PartitionField, column: str) -> str:
    """A name made of transform and column; fields of several specs may share it."""
    return f"{field.transform}({column})"


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

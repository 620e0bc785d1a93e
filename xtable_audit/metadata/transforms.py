"""Partition transforms of values (Iceberg spec, Partition Transforms), by PyIceberg's own functions."""

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
    """A partition field whose transform keeps no order: every value must be looked at, the extremes do not tell."""

    name: str
    column: str
    """Path of the column it is made from."""
    source: PrimitiveType
    """The column's type."""
    arrow: pa.DataType
    transform: Transform[Any, Any]

    def of(self, values: pa.Array) -> pa.Array:
        """The transform of each distinct value."""
        return transformed(pc.unique(values), self.source, self.transform)


def buckets(spec: PartitionSpec, leaves: tuple[Leaf, ...]) -> tuple[Bucketed, ...]:
    """The fields of the spec that must be measured value by value, named by what they are: `bucket[8](id)`."""
    by_id = {leaf.field_id: leaf for leaf in leaves}
    return tuple(
        Bucketed(named(field, leaf.path), leaf.path, leaf.type, _result(field, leaf.type), field.transform)
        for field in spec.fields
        if not keeps_order(field.transform) and (leaf := by_id.get(field.source_id)) is not None
    )


def named(field: PartitionField, column: str) -> str:
    """A partition field by its transform and column, which fields of several specs may have in common."""
    return f"{field.transform}({column})"


def keeps_order(transform: Transform[Any, Any]) -> bool:
    """Whether all values between two have transforms between theirs, so that the extremes tell of all."""
    return transform.preserves_order or isinstance(transform, UnknownTransform)


def transformed(values: pa.Array | pa.ChunkedArray, source: PrimitiveType, transform: Transform[Any, Any]) -> pa.Array:
    """The transform of each value, typed as the partition tuple; null of null."""
    function: Callable[[Any], Any] = transform.transform(source)
    plain = [None if value is None else function(value) for value in _internal(values).to_pylist()]
    result = transform.result_type(source)
    arrow = arrow_type(result)
    if pa.types.is_date32(arrow):
        return pa.array(plain, pa.int32()).cast(arrow)
    return pa.array(plain, arrow)


def _internal(values: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """As PyIceberg's transforms take them: days and microseconds as numbers."""
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if pa.types.is_date32(values.type):
        return values.cast(pa.int32())
    if pa.types.is_timestamp(values.type) or pa.types.is_time64(values.type):
        return values.cast(pa.int64())
    return values


def _result(field: PartitionField, source: PrimitiveType) -> pa.DataType:
    return arrow_type(field.transform.result_type(source))

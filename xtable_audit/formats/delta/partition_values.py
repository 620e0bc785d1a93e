"""How a Delta table is partitioned, and the partition values of its files (Delta protocol, Partition Value
Serialization).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.formats.delta.actions import AddAction
from xtable_audit.formats.delta.schema import GENERATED, DeltaColumn
from xtable_audit.formats.delta.statistics import quoted
from xtable_audit.formats.delta.types import NoValue, array_of, arrow_of, in_partition
from xtable_audit.model.columns import Leaf
from xtable_audit.table.partitions import IDENTITY, PartitionField, Partitioning, TransformKind

YEAR = re.compile(r"YEAR\(([^()]+)\)", re.IGNORECASE)
DATE = re.compile(r"CAST\((\S+) AS DATE\)", re.IGNORECASE)
FORMATTED = re.compile(r"DATE_FORMAT\(([^,]+),\s*'([^']+)'\)", re.IGNORECASE)
BUCKET = re.compile(r"MOD\(\(HASH\(([^()]+)\) & 2147483647\), (\d+)\)", re.IGNORECASE)
"""By which XTable describes Iceberg's buckets: HASH is Spark's, whose buckets are others."""
FORMATS = {"yyyy-MM": ("month", "%Y-%m"), "yyyy-MM-dd": ("day", "%Y-%m-%d"), "yyyy-MM-dd-HH": ("hour", "%Y-%m-%d-%H")}
"""Formats of which texts are in the order of time, and Python's for them."""


@dataclass(frozen=True)
class GeneratedTransform:
    """The year, month, day or hour of a timestamp or date, in UTC; or a bucket, whose values are not judged."""

    name: str
    format: str = ""
    """Of a text; "" for a year as a number and a day as a date."""
    kind: TransformKind = TransformKind.TIME
    keeps_order: bool = True

    def of(self, values: pa.Array | pa.ChunkedArray, column: Leaf) -> pa.Array:
        if self.format:
            return pc.strftime(values, self.format)
        return pc.year(values).cast(pa.int32()) if self.name == "year" else values.cast(pa.date32())

    def __str__(self) -> str:
        return self.name


def generated(column: DeltaColumn) -> tuple[str, GeneratedTransform] | None:
    """The source column's path and the transform; None for a column that is not generated, or in another way."""
    expression = column.metadata.get(GENERATED)
    if not isinstance(expression, str):
        return None
    if found := YEAR.fullmatch(expression.strip()):
        return _path(found[1]), GeneratedTransform("year")
    if found := DATE.fullmatch(expression.strip()):
        return _path(found[1]), GeneratedTransform("day")
    if (found := FORMATTED.fullmatch(expression.strip())) and found[2] in FORMATS:
        return _path(found[1]), GeneratedTransform(*FORMATS[found[2]])
    if found := BUCKET.fullmatch(expression.strip()):
        return _path(found[1]), GeneratedTransform(f"bucket[{found[2]}] by Spark's hash", kind=TransformKind.UNKNOWN)
    return None


def _path(name: str) -> str:
    return name.strip().replace("`", "")


OF_TIME = {"date", "timestamp", "timestamp_ntz"}
Derived = tuple[str, GeneratedTransform]
"""The source column of a generated partition column, and how it is generated."""


def derived_partitions(columns: Sequence[DeltaColumn], partition_by: Sequence[str]) -> dict[str, Derived]:
    """The partition columns that are generated in a known way. Of what is no date or time, values are not judged:
    `CAST(… AS DATE)` of a text is as lenient as the engine, and does not keep the order.
    """
    types = {one.path: one.type for one in columns if one.is_leaf}
    found = {}
    for one in columns:
        if one.path in partition_by and (by := generated(one)) is not None and by[0] in types:
            source, transform = by
            judged = types[source] in OF_TIME
            found[one.path] = source, transform if judged else replace(transform, kind=TransformKind.UNKNOWN)
    return found


def partitioning(
    leaves: Sequence[Leaf],
    columns: Sequence[DeltaColumn],
    partition_by: Sequence[str],
    derived: Mapping[str, Derived],
    adds: Sequence[AddAction],
) -> Partitioning:
    """A generated column's values are those of its transform of the source column, under its own name."""
    stored = {one.path: one for one in columns if len(one.names) == 1}
    by_path = {leaf.path: leaf for leaf in leaves}
    spec, tuples, why = [], {}, {}
    for number, name in enumerate(partition_by):
        source, transform = derived.get(name, (name, IDENTITY))
        leaf, column = by_path.get(source), stored.get(name)
        arrow = arrow_of(column.type) if column is not None else None
        if leaf is None or column is None or arrow is None:
            spec.append(PartitionField(number, name, 0, None, transform))
            continue
        spec.append(PartitionField(number, name, leaf.field_id, leaf.path, transform))
        texts = [(add.partition_values or {}).get(column.stored[0]) for add in adds]
        tuples[name], words = _values(texts, arrow, column.type)
        if words.null_count < len(words):
            why[name] = words
    return Partitioning(0, tuple(spec), pa.table(tuples), {}, why)


def _values(texts: Sequence[str | None], arrow: pa.DataType, kind: str) -> tuple[pa.Array, pa.Array]:
    """The values, and why some are none. An empty text is null for every type."""
    values: list[Any] = []
    why: list[str | None] = []
    for text in texts:
        value, words = None, None
        if text:
            try:
                value = in_partition(text, arrow)
            except NoValue:
                words = f"partition value {quoted(text)} is no value of type {kind}"
        values.append(value)
        why.append(words)
    return array_of(values, arrow), pa.array(why, pa.string())

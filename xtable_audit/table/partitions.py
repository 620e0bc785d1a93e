"""How a table is partitioned, and the partition tuples of its files, in terms of no format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

import pyarrow as pa

from xtable_audit.model.columns import Leaf


class TransformKind(Enum):
    """What a transform does with a value, as far as a planner goes by it."""

    IDENTITY = "identity"
    TIME = "time"
    """The year, month, day or hour."""
    TRUNCATE = "truncate"
    BUCKET = "bucket"
    VOID = "void"
    """Nothing is left of the value."""
    UNKNOWN = "unknown"


class Transform(Protocol):
    """How a partition value is derived from the value of a column. As text, it is what its format calls it."""

    @property
    def kind(self) -> TransformKind: ...

    @property
    def keeps_order(self) -> bool:
        """Whether the transforms of min and max bound those of all values between; true of an unknown transform."""

    def of(self, values: pa.Array | pa.ChunkedArray, column: Leaf) -> pa.Array:
        """The transform of each value of the column, typed as the partition value. Null stays null."""


@dataclass(frozen=True)
class IdentityTransform:
    """The value of a partition column itself."""

    kind: TransformKind = TransformKind.IDENTITY
    keeps_order: bool = True

    def of(self, values: pa.Array | pa.ChunkedArray, column: Leaf) -> pa.Array:
        return values

    def __str__(self) -> str:
        return "identity"


IDENTITY = IdentityTransform()


@dataclass(frozen=True)
class PartitionField:
    id: int
    """Its own, which is unique in a healthy spec."""
    name: str
    source_id: int
    """Field id of the source column."""
    source: str | None
    """Path of the source column; None if the table has it no more."""
    transform: Transform


@dataclass(frozen=True)
class Partitioning:
    """A partition spec, and the tuples and summaries of the files written under it."""

    id: int
    spec: tuple[PartitionField, ...]
    """All of its fields, also those whose source column is not judged."""
    tuples: pa.Table
    """One column per judged field, named as the field; null for files of other specs."""
    summaries: Mapping[str, pa.Table]
    undecodable: Mapping[str, pa.Array] = field(default_factory=dict)
    """For each field with a value that is none of its type, why, one row per file; null where it is one. Such a value
    is null in `tuples`.
    """
    states_transforms: bool = True
    """Whether the spec says how its values are made of those of their columns."""

    def fields(self, leaves: tuple[Leaf, ...]) -> Iterator[tuple[PartitionField, Leaf]]:
        """The judged fields, each with its source column."""
        by_id = {leaf.field_id: leaf for leaf in leaves}
        for one in self.spec:
            if one.source_id in by_id:
                yield one, by_id[one.source_id]


def named(field: PartitionField, column: str) -> str:
    """A name made of transform and column; fields of several specs may share it."""
    return f"{field.transform}({column})"

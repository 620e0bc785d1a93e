"""The names that sources have for Iceberg's types."""

from __future__ import annotations

from pyiceberg.types import BinaryType, DecimalType, FixedType, TimestampType, TimestamptzType, UUIDType

from xtable_audit.formats.iceberg.columns import type_of
from xtable_audit.model.columns import Leaf
from xtable_audit.model.literal_kind import LiteralKind, kind_by_arrow


def source_types(leaf: Leaf) -> tuple[str, ...]:
    """The names that sources have for the column's type (`xtable_audit.model.source_fact.LEAF_TYPES`)."""
    match type_of(leaf):
        case DecimalType():
            return ("decimal",)
        case FixedType():
            return ("fixed",)
        case BinaryType():
            return ("bytes",)
        case TimestamptzType():
            return ("timestamp",)
        case TimestampType():
            return ("timestamp", "timestamp_ntz")
        case kind:
            return (str(kind),)


def literal_kind(leaf: Leaf) -> LiteralKind | None:
    """What a literal must be to be compared with the column."""
    match type_of(leaf):
        case UUIDType():
            return LiteralKind.UUID
        case FixedType():
            return LiteralKind.FIXED
        case _:
            return kind_by_arrow(leaf.arrow)

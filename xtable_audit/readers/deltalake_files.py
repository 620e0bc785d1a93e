"""The files of a Delta table that delta-rs keeps for a predicate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable

from xtable_audit.model.malformed import first_line
from xtable_audit.model.predicate import Predicate
from xtable_audit.readers.sql import DATAFUSION, Dialect

UNPLANNABLE = ("Cannot convert to kernel expression", "get_field function requires exactly 2 arguments")
"""What delta-rs says of predicates by which it skips no files: LIKE, and those on a field of a struct in a struct."""

# Literals of these types need a cast: delta-rs compares a bound only with a literal of the column's very type.
_CASTS = {
    "int8": "Int8",
    "int16": "Int16",
    "int32": "Int32",
    "int64": "Int64",
    "float": "Float32",
    "double": "Float64",
    "timestamp[us]": "Timestamp(Microsecond, None)",
    "timestamp[us, tz=UTC]": 'Timestamp(Microsecond, Some("UTC"))',
}


class NotPlanned(Exception):
    """delta-rs names no files for this predicate: why, in one sentence."""


def planned_files(table: DeltaTable, predicate: Predicate | None) -> frozenset[str]:
    """Absolute addresses, as delta-rs spells them.

    Raises NotPlanned if delta-rs cannot plan by the predicate, and whatever it raises over a table that it cannot read.
    """
    if predicate is None:
        return frozenset(table.file_uris())
    written = Typed.over_table(table).render(predicate)
    try:
        return frozenset(table.file_uris(file_pruning_predicate=written))
    except Exception as error:  # delta-rs raises several types
        if any(words in str(error) for words in UNPLANNABLE):
            raise NotPlanned(f"delta-rs names no files for {predicate}: {first_line(error)}") from error
        raise


@dataclass(frozen=True)
class Typed(Dialect):
    """DataFusion's SQL with every literal in its column's type."""

    types: Mapping[str, pa.DataType] = field(default_factory=dict)
    """By path: nested columns too."""

    @classmethod
    def over_table(cls, table: DeltaTable) -> Typed:
        schema = pa.schema(table.schema().to_arrow())
        plain = DATAFUSION.over(schema.names)
        return cls(plain.column, plain.literal, plain.starts_with, dict(_leaves("", schema)))

    def operand(self, column: str, value: Any) -> str:
        """Raises NotPlanned for a value that the column's type cannot hold."""
        kind = self.types.get(column)
        cast = None if kind is None else _cast(kind)
        if kind is None or cast is None:
            return self.literal(value)
        if not _holds(kind, value):
            raise NotPlanned(f"delta-rs plans by literals of the type {kind} for {column}, which cannot hold {value}")
        text = format(value, "f") if isinstance(value, Decimal) else str(value)
        return f"arrow_cast('{text}', '{cast}')"


def _leaves(above: str, fields: Any) -> list[tuple[str, pa.DataType]]:
    leaves = []
    for each in fields:
        leaves.append((above + each.name, each.type))
        if pa.types.is_struct(each.type):
            leaves += _leaves(f"{above}{each.name}.", each.type)
    return leaves


def _cast(kind: pa.DataType) -> str | None:
    if pa.types.is_decimal(kind):
        return f"Decimal128({kind.precision}, {kind.scale})"
    return _CASTS.get(str(kind))


def _holds(kind: pa.DataType, value: Any) -> bool:
    try:
        held = pa.scalar(value, kind).as_py()
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return False
    return bool(held == value) or (held != held and value != value)  # NaN

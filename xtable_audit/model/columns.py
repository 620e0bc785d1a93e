"""The columns of a table: leaves, which have bounds and counts; fields, by which rows are read; literals to compare."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import pyarrow as pa

from xtable_audit.model.scan_input import WantedColumn

HUDIS_OWN = "_hoodie_"
"""Name prefix of the metadata columns that Hudi adds to every table."""
COMMITTED = f"{HUDIS_OWN}commit_time"


@dataclass(frozen=True)
class Leaf:
    """A primitive column, top-level or inside structs.

    Leaves inside lists and maps count elements, not rows, and are not judged.
    """

    field_id: int
    path: str
    """Dotted: `address.city`."""
    type: object
    """Its type by the table's own format."""
    arrow: pa.DataType
    default: pa.Scalar | None = None
    parent: int | None = None
    """As `WantedColumn` has them."""

    @property
    def column(self) -> WantedColumn:
        """The same column in the form that a scan takes."""
        return WantedColumn(self.field_id, self.path, self.arrow, self.default, self.parent)


@dataclass(frozen=True)
class RowField:
    """A column, or a field of a struct. Lists and maps are read as a whole."""

    field_id: int
    name: str
    arrow: pa.DataType
    default: pa.Scalar | None = None
    """Its value in files that lack it; None for null."""
    inside: tuple[RowField, ...] | None = None
    """The fields of a struct; None for every other type."""

    def lacking(self, rows: int) -> pa.Array:
        """Its values in a file that lacks it."""
        return pa.nulls(rows, self.arrow) if self.default is None else pa.repeat(self.default, rows)


class LiteralKind(Enum):
    INTEGER = "integer"
    FLOAT = "float"
    DECIMAL = "decimal"
    BOOLEAN = "boolean"
    TEXT = "text"
    DATE = "date"
    TIME = "time"
    TIMESTAMP = "timestamp"
    TIMESTAMP_WITH_ZONE = "timestamp with zone"
    UUID = "uuid"
    FIXED = "fixed"
    """Bytes of one length, that of the column's type."""
    BINARY = "binary"


def kind_by_arrow(type: pa.DataType) -> LiteralKind | None:
    """By the column's type in Arrow, which has every kind but UUID and FIXED: their values are bytes there."""
    if pa.types.is_timestamp(type):
        return LiteralKind.TIMESTAMP_WITH_ZONE if type.tz else LiteralKind.TIMESTAMP
    return next((kind for holds, kind in BY_ARROW if holds(type)), None)


BY_ARROW = (
    (pa.types.is_integer, LiteralKind.INTEGER),
    (pa.types.is_floating, LiteralKind.FLOAT),
    (pa.types.is_decimal, LiteralKind.DECIMAL),
    (pa.types.is_boolean, LiteralKind.BOOLEAN),
    (pa.types.is_string, LiteralKind.TEXT),
    (pa.types.is_date, LiteralKind.DATE),
    (pa.types.is_time, LiteralKind.TIME),
    (pa.types.is_binary, LiteralKind.BINARY),
)

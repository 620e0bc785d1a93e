"""A field of a table's schema, as far as rows are read by it."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa


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

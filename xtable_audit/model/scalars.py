"""Arrow's scalars as Python values, dates beyond `datetime` too; views as plain texts and bytes; masks of arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

Mask = np.ndarray[Any, np.dtype[np.bool_]]
"""One truth value for each file, row or record."""


def mask_of(values: pa.ChunkedArray) -> Mask:
    """Nulls are false."""
    return np.asarray(values.fill_null(False), dtype=bool)


DOUBLE_DIGITS = int(np.finfo(np.float64).precision)
"""Digits of a decimal that a double keeps."""


@dataclass(frozen=True)
class Beyond:
    """A date or time outside the years 1 to 9999, the range of Python's `datetime`."""

    text: str
    """In ISO 8601."""

    def __str__(self) -> str:
        return self.text


def plain(value: Any) -> Any:
    """An Arrow scalar as a Python value. Other values stay unchanged."""
    if not isinstance(value, pa.Scalar):
        return value
    try:
        return value.as_py()
    except (OverflowError, ValueError):
        unit = "D" if pa.types.is_date(value.type) else value.type.unit
        number = value.cast(pa.int32()) if pa.types.is_date32(value.type) else value
        return Beyond(str(np.array(number.cast(pa.int64()).as_py(), f"datetime64[{unit}]")))


def show(value: Any) -> str:
    """A value or an Arrow scalar as a finding prints it: strings and bytes quoted, None as `nothing`.

    The text is cut to 58 characters if it is longer than 60.
    """
    value = plain(value)
    if value is None:
        return "nothing"
    text = repr(value) if isinstance(value, str | bytes) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def without_views(table: pa.Table) -> pa.Table:
    """The table with plain texts and bytes."""
    types = [without_view(field.type) for field in table.schema]
    if types == table.schema.types:
        return table
    return table.cast(pa.schema([field.with_type(kind) for field, kind in zip(table.schema, types, strict=True)]))


def without_view(kind: pa.DataType) -> pa.DataType:
    """The type with plain texts and bytes, at any depth: Arrow sorts and takes no views."""
    if pa.types.is_string_view(kind):
        return pa.string()
    if pa.types.is_binary_view(kind):
        return pa.binary()
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(without_view(field.type)) for field in kind])
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(without_view(kind.value_type)))
    if pa.types.is_map(kind):
        return pa.map_(without_view(kind.key_type), without_view(kind.item_type))
    return kind

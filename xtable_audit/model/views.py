"""Texts and bytes as views, which delta-rs and DataFusion write and read, and for which Arrow lacks functions."""

from __future__ import annotations

import pyarrow as pa


def without_views(table: pa.Table) -> pa.Table:
    """The table with plain texts and bytes."""
    types = [plain(field.type) for field in table.schema]
    if types == table.schema.types:
        return table
    return table.cast(pa.schema([field.with_type(kind) for field, kind in zip(table.schema, types, strict=True)]))


def plain(kind: pa.DataType) -> pa.DataType:
    """The type with plain texts and bytes, at any depth: Arrow sorts and takes no views."""
    if pa.types.is_string_view(kind):
        return pa.string()
    if pa.types.is_binary_view(kind):
        return pa.binary()
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(plain(field.type)) for field in kind])
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(plain(kind.value_type)))
    if pa.types.is_map(kind):
        return pa.map_(plain(kind.key_type), plain(kind.item_type))
    return kind

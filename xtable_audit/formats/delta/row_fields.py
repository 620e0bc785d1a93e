"""The columns of a Delta schema, as rows are read by them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from xtable_audit.formats.delta.types import arrow_of
from xtable_audit.table.row_field import RowField


def row_fields(schema: str, ids: Mapping[str, int]) -> tuple[RowField, ...]:
    """`ids` of columns and fields of structs by their dotted paths."""
    return _fields(json.loads(schema)["fields"], ids, "")


def _fields(fields: list[dict[str, Any]], ids: Mapping[str, int], around: str) -> tuple[RowField, ...]:
    return tuple(_field(one, ids, f"{around}{one['name']}") for one in fields)


def _field(field: Mapping[str, Any], ids: Mapping[str, int], path: str) -> RowField:
    kind = field["type"]
    inside = _fields(kind["fields"], ids, f"{path}.") if _is(kind, "struct") else None
    return RowField(ids.get(path, 0), field["name"], _arrow(kind), None, inside)


def _arrow(kind: Any) -> pa.DataType:
    """Null for a type that is not judged."""
    if _is(kind, "struct"):
        return pa.struct([pa.field(str(one["name"]), _arrow(one["type"])) for one in kind["fields"]])
    if _is(kind, "array"):
        return pa.list_(_arrow(kind["elementType"]))
    if _is(kind, "map"):
        return pa.map_(_arrow(kind["keyType"]), _arrow(kind["valueType"]))
    return arrow_of(str(kind)) or pa.null()


def _is(kind: Any, name: str) -> bool:
    return isinstance(kind, dict) and kind.get("type") == name

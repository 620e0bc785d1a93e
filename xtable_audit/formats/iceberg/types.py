"""Replaces what PyIceberg cannot parse of a schema, so that the rest can be read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pyiceberg.types import UnknownType

PARSED = re.compile(
    r"boolean|int|long|float|double|date|time|timestamp(tz)?(_ns)?|string|uuid|binary|unknown"
    r"|fixed\s*\[.*\]|decimal\s*\(.*\)"
)
STAND_IN = str(UnknownType())


def replace_unknown_types(metadata: Any) -> dict[int, str]:
    """Replaces them with `unknown`, in place, in every schema of a parsed metadata.json. Returns field id -> type.

    A struct, list or map with an initial default counts as such a type: PyIceberg parses defaults of primitives alone.
    Values that are not schemas stay unchanged; the parser rejects them.
    """
    schemas = metadata.get("schemas") if isinstance(metadata, dict) else None
    known = schemas if isinstance(schemas, list) else []
    return dict(found for schema in known for found in _of_type(schema))


def _of_type(kind: Any) -> Iterator[tuple[int, str]]:
    if not isinstance(kind, dict):
        return
    fields = kind.get("fields")
    for field in fields if isinstance(fields, list) else []:
        yield from _of_child(field, "type", "id")
    yield from _of_child(kind, "element", "element-id")
    yield from _of_child(kind, "value", "value-id")


def _of_child(holder: Any, name: str, id: str) -> Iterator[tuple[int, str]]:
    if not isinstance(holder, dict) or id not in holder:
        return
    kind = holder.get(name)
    if isinstance(kind, str) and not PARSED.fullmatch(kind):
        holder[name] = STAND_IN
        yield holder[id], kind
        return
    if isinstance(kind, dict):
        holder.pop("write-default", None)
        if holder.pop("initial-default", None) is not None:
            holder[name] = STAND_IN
            yield holder[id], f"{kind.get('type')} with an initial default"
            return
    yield from _of_type(kind)

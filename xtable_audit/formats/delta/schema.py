"""The columns of a Delta table: Delta's JSON for schemas, and column mapping (Delta protocol, Schema Serialization)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from xtable_audit.formats.source import SourceLeaf

DEEPEST = 40
"""Structs in structs beyond this are not looked into."""
MODE = "delta.columnMapping.mode"
ID = "delta.columnMapping.id"
NESTED_IDS = "delta.columnMapping.nested.ids"
PHYSICAL_NAME = "delta.columnMapping.physicalName"
GENERATED = "delta.generationExpression"
TYPED = ("type", "elementType", "keyType", "valueType")
LEAF_TYPES = {"integer": "int", "binary": "bytes"} | {
    name: name
    for name in (
        *("boolean", "byte", "short", "long", "float", "double", "string", "date", "timestamp", "timestamp_ntz"),
    )
}
"""Delta's names of types to those of `model.source_fact`."""


@dataclass(frozen=True)
class DeltaColumn:
    """A column outside lists and maps: at the top, or a field of a struct."""

    names: tuple[str, ...]
    """From the top."""
    stored: tuple[str, ...]
    """The same by physical names, which data files, statistics and partition values have under column mapping."""
    type: str
    """As Delta names it: `long`, `decimal(9,2)`, `struct`, `array`, `map`."""
    nullable: bool
    metadata: Mapping[str, Any]

    @property
    def path(self) -> str:
        return ".".join(self.names)

    @property
    def is_leaf(self) -> bool:
        return self.type not in ("struct", "array", "map")

    @property
    def id(self) -> int | None:
        """By column mapping, whatever its mode."""
        found = self.metadata.get(ID)
        return found if isinstance(found, int) else None


def columns_in(schema: str) -> tuple[DeltaColumn, ...]:
    """The columns of a schema in Delta's JSON, in order, structs before their fields. Raises ValueError."""
    try:
        return tuple(_columns(json.loads(schema), (), (), 0))
    except (TypeError, AttributeError, KeyError, RecursionError) as error:
        raise ValueError(f"it is no schema of Delta: {type(error).__name__} {error}") from error


def _columns(
    struct: Mapping[str, Any], names: tuple[str, ...], stored: tuple[str, ...], depth: int
) -> Iterator[DeltaColumn]:
    for field in struct["fields"] if depth <= DEEPEST else ():
        type, name, metadata = field["type"], str(field["name"]), dict(field.get("metadata") or {})
        here, there = (*names, name), (*stored, str(metadata.get(PHYSICAL_NAME, name)))
        kind = type if isinstance(type, str) else str(type["type"])
        yield DeltaColumn(here, there, kind, bool(field.get("nullable", True)), metadata)
        if kind == "struct" and not isinstance(type, str):
            yield from _columns(type, here, there, depth + 1)


def leaves_of(columns: Iterable[DeltaColumn]) -> tuple[SourceLeaf, ...]:
    """Leaf columns with types in the words of all formats."""
    return tuple(
        SourceLeaf(one.names, one.stored, "decimal" if one.type.startswith("decimal") else _leaf_type(one.type))
        for one in columns
        if one.is_leaf
    )


def _leaf_type(type: str) -> str:
    return LEAF_TYPES.get(type, "other")


def highest_id(schema: str) -> int:
    """Of column mapping, list elements, map keys and map values included; 0 without one."""
    ids = [0]

    def collect(part: dict[str, Any]) -> dict[str, Any]:
        nested = part.get(NESTED_IDS)
        given = (part.get(ID), *(nested.values() if isinstance(nested, dict) else ()))
        ids.extend(id for id in given if isinstance(id, int))
        return part

    json.loads(schema, object_hook=collect)
    return max(ids)


def types_in(schema: str) -> frozenset[str]:
    """The names of types in a schema in Delta's JSON, at any depth."""
    found: set[str] = set()

    def collect(part: dict[str, Any]) -> dict[str, Any]:
        found.update(str(part[name]) for name in TYPED if isinstance(part.get(name), str))
        return part

    json.loads(schema, object_hook=collect)
    return frozenset(found)

"""The columns of a Hudi table: Avro schemas of its commits, outside lists and maps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from xtable_audit.formats.source import SourceLeaf

DEPTH = 40
"""Structs in structs beyond this are not looked into."""
AVRO = {"boolean": "boolean", "int": "int", "long": "long", "float": "float", "double": "double", "string": "string",
        "enum": "string", "bytes": "bytes", "fixed": "fixed"}  # fmt: skip
LOGICAL = {
    "decimal": "decimal", "date": "date", "timestamp-millis": "timestamp", "timestamp-micros": "timestamp",
    "local-timestamp-millis": "timestamp_ntz", "local-timestamp-micros": "timestamp_ntz",
}  # fmt: skip


def avro_leaves(schema: Any) -> Iterator[SourceLeaf]:
    """The leaves of a parsed Avro record schema."""
    yield from _avro(schema, (), 0)


def _avro(schema: Any, names: tuple[str, ...], depth: int) -> Iterator[SourceLeaf]:
    if isinstance(schema, list):  # a union: of null and one type, as Hudi writes them
        of = [branch for branch in schema if branch != "null"]
        if len(of) == 1:
            yield from _avro(of[0], names, depth)
        return
    if isinstance(schema, str):
        yield SourceLeaf(names, names, AVRO.get(schema, "other"))
        return
    if not isinstance(schema, Mapping) or depth > DEPTH:
        return
    kind = schema.get("type")
    if kind == "record":
        for field in schema.get("fields", ()):
            yield from _avro(field.get("type"), (*names, str(field.get("name"))), depth + 1)
    elif isinstance(kind, (Mapping, list)):
        yield from _avro(kind, names, depth + 1)
    elif kind not in ("array", "map"):
        logical = str(schema.get("logicalType", ""))
        yield SourceLeaf(
            names, names, LOGICAL.get(logical) or AVRO.get(str(kind), "other"), logical.endswith("-millis")
        )


def avro_paths(schema: Any) -> list[str]:
    """Dotted paths of all columns of a parsed Avro record schema, fields of structs too, in lists and maps none."""
    return list(_avro_paths(schema, "", 0))


def _avro_paths(schema: Any, prefix: str, depth: int) -> Iterator[str]:
    if isinstance(schema, list):
        of = [branch for branch in schema if branch != "null"]
        if len(of) == 1:
            yield from _avro_paths(of[0], prefix, depth)
        return
    if not isinstance(schema, Mapping) or depth > DEPTH:
        return
    kind = schema.get("type")
    if kind == "record":
        for field in schema.get("fields", ()):
            path = f"{prefix}{field.get('name')}"
            yield path
            yield from _avro_paths(field.get("type"), f"{path}.", depth + 1)
    elif isinstance(kind, (Mapping, list)):
        yield from _avro_paths(kind, prefix, depth + 1)

"""Leaf columns of the schemas that Hudi (Avro) and Delta (JSON) keep, outside lists and maps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

DEPTH = 40
"""Structs in structs beyond this are not looked into."""
AVRO = {"boolean": "boolean", "int": "int", "long": "long", "float": "float", "double": "double", "string": "string",
        "enum": "string", "bytes": "bytes", "fixed": "fixed"}  # fmt: skip
LOGICAL = {
    "decimal": "decimal", "date": "date", "timestamp-millis": "timestamp", "timestamp-micros": "timestamp",
    "local-timestamp-millis": "timestamp_ntz", "local-timestamp-micros": "timestamp_ntz",
}  # fmt: skip
DELTA = {"integer": "int", "binary": "bytes"} | {
    name: name
    for name in (
        *("boolean", "byte", "short", "long", "float", "double", "string", "date", "timestamp", "timestamp_ntz"),
    )
}


@dataclass(frozen=True)
class Leaf:
    """A leaf column: its names from the top, those in the data files, its type, and whether it is of milliseconds."""

    names: tuple[str, ...]
    stored: tuple[str, ...]
    type: str
    millis: bool = False

    @property
    def path(self) -> str:
        return ".".join(self.names)


def dropped(schemas: Iterable[Iterable[Leaf]]) -> list[str]:
    """Paths of leaves that are in one schema and not in the next, in the order of the schemas."""
    found: list[str] = []
    before: list[str] = []
    for schema in schemas:
        now = [leaf.path for leaf in schema]
        found += [path for path in before if path not in now]
        before = now
    return found


def avro_leaves(schema: Any) -> Iterator[Leaf]:
    """The leaves of a parsed Avro record schema."""
    yield from _avro(schema, (), 0)


def _avro(schema: Any, names: tuple[str, ...], depth: int) -> Iterator[Leaf]:
    if isinstance(schema, list):  # a union: of null and one type, as Hudi writes them
        of = [branch for branch in schema if branch != "null"]
        if len(of) == 1:
            yield from _avro(of[0], names, depth)
        return
    if isinstance(schema, str):
        yield Leaf(names, names, AVRO.get(schema, "other"))
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
        yield Leaf(names, names, LOGICAL.get(logical) or AVRO.get(str(kind), "other"), logical.endswith("-millis"))


def delta_leaves(schema: Any) -> Iterator[Leaf]:
    """The leaves of a parsed Delta schema. Under column mapping the stored names are the physical ones."""
    yield from _delta(schema, (), (), 0)


def _delta(schema: Any, names: tuple[str, ...], stored: tuple[str, ...], depth: int) -> Iterator[Leaf]:
    if isinstance(schema, str):
        yield Leaf(names, stored, "decimal" if schema.startswith("decimal") else DELTA.get(schema, "other"))
    elif isinstance(schema, Mapping) and schema.get("type") == "struct" and depth <= DEPTH:
        for field in schema.get("fields", ()):
            name = str(field.get("name"))
            physical = field.get("metadata", {}).get("delta.columnMapping.physicalName", name)
            yield from _delta(field.get("type"), (*names, name), (*stored, str(physical)), depth + 1)


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


def delta_paths(schema: Any) -> list[str]:
    """Dotted paths of all columns of a parsed Delta schema, fields of structs too, in lists and maps none."""
    return list(_delta_paths(schema, "", 0))


def _delta_paths(schema: Any, prefix: str, depth: int) -> Iterator[str]:
    if isinstance(schema, Mapping) and schema.get("type") == "struct" and depth <= DEPTH:
        for field in schema.get("fields", ()):
            path = f"{prefix}{field.get('name')}"
            yield path
            yield from _delta_paths(field.get("type"), f"{path}.", depth + 1)

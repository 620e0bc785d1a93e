"""Avro's binary encoding of one record, by its schema, as HFiles hold it (Avro specification, Binary Encoding)."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any

from xtable_audit.formats.hudi.metadata_table.files import Cursor

DEEPEST = 40
"""Records in records beyond this are not read."""
MOST = 1 << 20
"""Items of a list or a map that are read."""


class Decoder:
    """Decodes records of one schema. Raises ValueError for a text that is no schema of Avro."""

    def __init__(self, schema: str) -> None:
        self._schema = json.loads(schema)
        self._named: dict[str, Any] = {}
        self._learn(self._schema, "", 0)

    def decode(self, content: bytes) -> Any:
        """A record becomes a dict. Of a union of records the value is the pair of the record's name and its dict.

        Raises ValueError for what is no record of the schema.
        """
        return self._read(self._schema, Cursor(content), 0)

    def _learn(self, schema: Any, space: str, depth: int) -> None:
        """Keeps types by their names, with and without the namespace."""
        if depth > DEEPEST:
            raise ValueError(f"its schema is deeper than {DEEPEST} levels")
        if isinstance(schema, list):
            for branch in schema:
                self._learn(branch, space, depth + 1)
        if not isinstance(schema, Mapping):
            return
        kind = schema.get("type")
        if kind in ("record", "enum", "fixed"):
            space = str(schema.get("namespace", space))
            name = str(schema["name"])
            self._named[name] = self._named[f"{space}.{name}"] = schema
            for field in schema.get("fields", ()):
                self._learn(field["type"], space, depth + 1)
        else:
            for below in (schema.get("items"), schema.get("values"), kind):
                self._learn(below, space, depth + 1)

    def _read(self, schema: Any, cursor: Cursor, depth: int) -> Any:
        if depth > DEEPEST:
            raise ValueError(f"it is deeper than {DEEPEST} levels")
        if isinstance(schema, list):
            return self._branch(schema, cursor, depth)
        if isinstance(schema, Mapping):
            kind = schema["type"]
            if not isinstance(kind, str):
                return self._read(kind, cursor, depth + 1)
            match kind:
                case "record":
                    return {one["name"]: self._read(one["type"], cursor, depth + 1) for one in schema["fields"]}
                case "enum":
                    return schema["symbols"][cursor.zigzag()]
                case "fixed":
                    return cursor.take(int(schema["size"]))
                case "array":
                    return list(self._items(schema["items"], cursor, depth, keyed=False).values())
                case "map":
                    return self._items(schema["values"], cursor, depth, keyed=True)
            return self._read(kind, cursor, depth)
        return self._plain(schema, cursor, depth)

    def _branch(self, schema: list[Any], cursor: Cursor, depth: int) -> Any:
        place = cursor.zigzag()
        if not 0 <= place < len(schema):
            raise ValueError(f"a union of {len(schema)} has no branch {place}")
        branch = schema[place]
        value = self._read(branch, cursor, depth + 1)
        if len(schema) <= 2:
            return value
        named = self._named.get(branch) if isinstance(branch, str) else branch
        return (named["name"], value) if isinstance(named, Mapping) and "name" in named else value

    def _items(self, schema: Any, cursor: Cursor, depth: int, *, keyed: bool) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        while number := cursor.zigzag():
            if number < 0:
                number = -number
                cursor.zigzag()  # bytes of the block
            if number + len(found) > MOST:
                raise ValueError(f"a list or a map of more than {MOST:,} items is not read")
            for _ in range(number):
                key = cursor.take(cursor.zigzag()).decode("utf-8") if keyed else len(found)
                found[key] = self._read(schema, cursor, depth + 1)
        return found

    def _plain(self, kind: str, cursor: Cursor, depth: int) -> Any:
        match kind:
            case "null":
                return None
            case "boolean":
                return cursor.take(1) != b"\0"
            case "int" | "long":
                return cursor.zigzag()
            case "float":
                return struct.unpack("<f", cursor.take(4))[0]
            case "double":
                return struct.unpack("<d", cursor.take(8))[0]
            case "bytes":
                return cursor.take(cursor.zigzag())
            case "string":
                return cursor.take(cursor.zigzag()).decode("utf-8")
        if kind not in self._named:
            raise ValueError(f"its schema has no type {kind}")
        return self._read(self._named[kind], cursor, depth + 1)

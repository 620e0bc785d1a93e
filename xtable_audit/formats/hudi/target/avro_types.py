"""The columns of a Hudi table as Arrow has them, by the Avro schema of a commit (Avro specification, Schema)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from xtable_audit.model.malformed import Malformed

DEEPEST = 40
"""Records in records beyond this are not read."""
PLAIN = {
    "boolean": pa.bool_(),
    "int": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "enum": pa.string(),
    "bytes": pa.binary(),
    "fixed": pa.binary(),
    "null": pa.null(),
}
LOGICAL = {
    "date": pa.date32(),
    "timestamp-millis": pa.timestamp("ms", "UTC"),
    "timestamp-micros": pa.timestamp("us", "UTC"),
    "local-timestamp-millis": pa.timestamp("ms"),
    "local-timestamp-micros": pa.timestamp("us"),
    "time-micros": pa.time64("us"),
    "uuid": pa.string(),
}


def schema_of(text: str, location: str) -> pa.Schema:
    """Raises Malformed of `location` for a text that is no record of Avro."""
    try:
        parsed = json.loads(text)
        if not isinstance(parsed, Mapping) or parsed.get("type") != "record":
            raise ValueError("it is no record")
        return pa.schema(_fields(parsed, 0))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, pa.ArrowException) as error:
        raise Malformed(location, f"has a commit whose schema is not Avro: {error}") from error


def _fields(record: Mapping[str, Any], depth: int) -> list[pa.Field]:
    return [pa.field(str(one["name"]), _arrow(one["type"], depth + 1)) for one in record["fields"]]


def _arrow(schema: Any, depth: int) -> pa.DataType:
    if depth > DEEPEST:
        raise ValueError(f"it is deeper than {DEEPEST} levels")
    if isinstance(schema, list):
        of = [branch for branch in schema if branch != "null"]
        if len(of) != 1:
            raise ValueError("it has a union of several types")
        return _arrow(of[0], depth)
    if isinstance(schema, str):
        return PLAIN[schema]
    kind = schema["type"]
    if not isinstance(kind, str):
        return _arrow(kind, depth + 1)
    match kind:
        case "record":
            return pa.struct(_fields(schema, depth))
        case "array":
            return pa.list_(_arrow(schema["items"], depth + 1))
        case "map":
            return pa.map_(pa.string(), _arrow(schema["values"], depth + 1))
    logical = schema.get("logicalType")
    if logical == "decimal":
        return pa.decimal128(int(schema["precision"]), int(schema.get("scale", 0)))
    return LOGICAL[logical] if logical in LOGICAL else PLAIN[kind]

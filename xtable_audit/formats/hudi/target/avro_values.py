"""Columns by a Hudi table's Avro schema, and the bounds that its column statistics wrap, as values of their types."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from decimal import Context, Decimal
from typing import Any

import pyarrow as pa

from xtable_audit.model.malformed import Malformed

# The columns of a Hudi table as Arrow has them, by the Avro schema of a commit (Avro specification, Schema).

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


# Bounds of Hudi's column statistics as values of their columns: a wrapper names the type that its writer saw.

SCALE = 15
"""Digits behind the point of every decimal in DecimalWrapper (HoodieMetadata.avsc)."""
EXACT = Context(prec=80)
WHOLE = ("IntWrapper", "LongWrapper")
DECIMAL = "DecimalWrapper"
WRAPPERS: tuple[tuple[Callable[[pa.DataType], bool], tuple[str, ...]], ...] = (
    (pa.types.is_boolean, ("BooleanWrapper",)),
    (pa.types.is_integer, WHOLE),
    (pa.types.is_floating, ("FloatWrapper", "DoubleWrapper")),
    (pa.types.is_decimal, (DECIMAL,)),
    (pa.types.is_date, ("DateWrapper", "LocalDateWrapper", "IntWrapper")),
    (pa.types.is_timestamp, (*WHOLE, "TimestampMicrosWrapper", "LocalTimestampMicrosWrapper")),
    (pa.types.is_time, ("TimeMicrosWrapper", "LongWrapper")),
    (pa.types.is_string, ("StringWrapper",)),
    (pa.types.is_binary, ("BytesWrapper",)),
)
"""Which hold bounds of a type: Hudi's reader unpacks them by the type of the column."""


class NoBound(Exception):
    """A wrapped value is none of its column's type. The text says what it is."""


def bound_of(wrapped: Any, arrow: pa.DataType) -> Any:
    """The bound as a scalar of the type; None for none. Raises NoBound."""
    if wrapped is None:
        return None
    name, record = wrapped if isinstance(wrapped, tuple) else (type(wrapped).__name__, wrapped)
    value = record.get("value") if isinstance(record, Mapping) else record
    if name == DECIMAL and isinstance(value, bytes):
        value = Decimal(int.from_bytes(value, "big", signed=True)).scaleb(-SCALE, EXACT)
    if name in next((wrappers for is_of, wrappers in WRAPPERS if is_of(arrow)), ()):
        try:
            return pa.scalar(value, arrow)
        except (pa.ArrowException, ValueError, TypeError, OverflowError):
            pass
    raise NoBound(f"{name} of {value!r}")

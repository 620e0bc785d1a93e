"""The data of a table with a column of every primitive type: three files that share no value, each with nulls.

For each type the next greater and the next smaller value too: the smallest fault that a bound can have."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.types import DateType, FloatType, PrimitiveType

from tests.tables.mirror import Mirror

PARTITION = "region"
ROWS = 6
REGIONS = ("east", "north", "west")
PLACE = pa.struct([pa.field("city", pa.string()), pa.field("zip", pa.int32())])
ZEROS = ([-0.0, 0.0, 1.0, 2.0, 3.0, 4.0], [-5.0, -4.0, -3.0, -2.0, -1.0, 0.0], [-0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
TYPES: dict[str, pa.DataType] = {
    "int": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "decimal4": pa.decimal128(7, 2),
    "decimal8": pa.decimal128(16, 4),
    "decimal16": pa.decimal128(30, 10),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "time": pa.time64("us"),
    "timestamp": pa.timestamp("us"),
    "timestamptz": pa.timestamp("us", tz="UTC"),
    "string": pa.string(),
    "long_string": pa.string(),
    "binary": pa.binary(),
    "long_binary": pa.binary(),
    "fixed": pa.binary(4),
    "place": PLACE,
    "holey": pa.int64(),
    "nan": pa.float64(),
    "nothing": pa.string(),
    "zeros": pa.float64(),
    PARTITION: pa.string(),
}
BOUNDED = tuple(
    "place.city" if name == "place" else name
    for name in TYPES
    if name not in ("boolean", "nothing", "zeros", PARTITION)
)
"""Columns whose bounds are mutated: two or more values in every file."""
OTHERWISE: dict[pa.DataType, pa.DataType] = {
    pa.int32(): pa.int64(),
    pa.string(): pa.large_string(),
    pa.binary(4): pa.binary(),
    pa.float32(): pa.float64(),
    pa.decimal128(7, 2): pa.decimal128(38, 6),
    pa.timestamp("us"): pa.timestamp("ns"),
    pa.timestamp("us", tz="UTC"): pa.timestamp("us", tz="Asia/Kolkata"),
    pa.date32(): pa.date64(),
}
TICK = dt.timedelta(microseconds=1)
SOME_DAY = dt.date(2000, 1, 1)


def rows(file: int) -> dict[str, list[Any]]:
    """The columns of one file; its values lie above those of the files before it."""
    numbers = [file * 100 - 90 + 7 * row for row in range(ROWS)]
    start = dt.datetime(2023, 1, 1, 12, 30)
    moments = [start + dt.timedelta(days=n, microseconds=n) for n in numbers]
    words = [f"{REGIONS[file]} {n + 1000}" for n in numbers]
    return {
        "int": numbers,
        "long": [n * 10**12 for n in numbers],
        "float": [n / 8 for n in numbers],
        "double": [n / 7 for n in numbers],
        "decimal4": [Decimal(n * 13).scaleb(-2) for n in numbers],
        "decimal8": [Decimal(n * 10**9 + 1).scaleb(-4) for n in numbers],
        "decimal16": [Decimal(n * 10**25 + 1).scaleb(-10) for n in numbers],
        "boolean": [row % 2 == 0 for row in range(ROWS)] if file == 1 else [file == 0] * ROWS,
        "date": [moment.date() for moment in moments],
        "time": [(start + dt.timedelta(seconds=n + 100)).time() for n in numbers],
        "timestamp": moments,
        "timestamptz": [moment.replace(tzinfo=dt.UTC) for moment in moments],
        "string": words,
        "long_string": [f"{word} — a long text 🙂 of {n}" for word, n in zip(words, numbers, strict=True)],
        "binary": [bytes([file * 100 + row, 255, 0]) for row in range(ROWS)],
        "long_binary": [bytes([file * 100 + row] * 20) for row in range(ROWS)],
        "fixed": [bytes([file * 100 + row, 1, 2, 3]) for row in range(ROWS)],
        "place": [None if row == 0 else {"city": words[row], "zip": numbers[row]} for row in range(ROWS)],
        "holey": [None if row < 2 else n for row, n in enumerate(numbers)],
        "nan": [float("nan") if row == 1 else n / 2 for row, n in enumerate(numbers)],
        "nothing": [None] * ROWS,
        "zeros": ZEROS[file],
        PARTITION: [REGIONS[file]] * ROWS,
    }


def repeated_rows(file: int) -> dict[str, list[Any]]:
    """The columns of one file whose first row stands there twice."""
    return {name: [*values, values[0]] for name, values in rows(file).items()}


def keyed_rows(file: int) -> dict[str, list[Any]]:
    """The same, with a record key and the time of the commit that wrote the row."""
    keys = [f"key-{file}-{row}" for row in range(ROWS)]
    columns = repeated_rows(file)
    return {"record_key": [*keys, keys[0]], "_hoodie_commit_time": [f"2024010{file + 1}"] * (ROWS + 1)} | columns


def as_an_engine_tells(table: pa.Table) -> pa.Table:
    """The same values in other types, as engines hand them over."""
    return table.cast(
        pa.schema([pa.field(field.name, OTHERWISE.get(field.type, field.type)) for field in table.schema])
    )


def write_typed_files(mirror: Mirror, id: str, rows_of: Callable[[int], dict[str, list[Any]]] = rows) -> list[str]:
    """One file a region, of two row groups; decimals as integers in the first, as bytes in the others."""
    uris = []
    for number, region in enumerate(REGIONS):
        uri = mirror.uri(f"{id}/data/{region}.parquet")
        mirror.file(uri).parent.mkdir(parents=True, exist_ok=True)
        columns = rows_of(number)
        schema = pa.schema([pa.field(name, TYPES.get(name, pa.string())) for name in columns])
        content = pa.table(columns, schema=schema)
        pq.write_table(content, mirror.file(uri), row_group_size=ROWS // 2, store_decimal_as_integer=number == 0)
        uris.append(uri)
    return uris


def up(value: Any, type: PrimitiveType) -> Any:
    """One unit more; for text and bytes the very next value, or the last byte of fixed ones raised."""
    match value:
        case str():
            return value + "\0"
        case bytes():
            return value[:-1] + bytes([value[-1] + 1]) if str(type).startswith("fixed") else value + b"\0"
    return _step(value, type, 1)


def down(value: Any, type: PrimitiveType) -> Any:
    """One unit less; for text and bytes the last character lowered, or cut off where it is the lowest."""
    match value:
        case str():
            return value[:-1] + (chr(ord(value[-1]) - 1) if value[-1] != "\0" else "")
        case bytes():
            return value[:-1] + (bytes([value[-1] - 1]) if value[-1] else b"")
    return _step(value, type, -1)


def _step(value: Any, type: PrimitiveType, sign: int) -> Any:
    match value:
        case bool():
            return sign > 0
        case int():
            return value + sign
        case float() if isinstance(type, FloatType):
            return float(np.nextafter(np.float32(value), np.float32(sign * math.inf)))
        case float():
            return math.nextafter(value, sign * math.inf)
        case Decimal():
            return value + sign * Decimal(1).scaleb(int(value.as_tuple().exponent))
        case dt.datetime():
            return value + sign * TICK
        case dt.date() if isinstance(type, DateType):
            return value + dt.timedelta(days=sign)
        case dt.time():
            return (dt.datetime.combine(SOME_DAY, value) + sign * TICK).time()
    raise TypeError(f"{value!r} has no unit")

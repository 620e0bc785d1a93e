"""The live records of Hudi's own indexes: column statistics of each file, partition statistics of each partition."""

from __future__ import annotations

import base64
import datetime as dt
import json
from decimal import Context, Decimal, InvalidOperation
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

Kind = Literal["column_stats", "partition_stats"]
COLUMN_STATISTICS: Kind = "column_stats"
PARTITION_STATISTICS: Kind = "partition_stats"
"""Hudi's names of its indexes of bounds, per file and per partition."""

INDEX = pa.schema(
    [
        ("kind", pa.string()),  # "column_stats" or "partition_stats"
        ("of", pa.string()),  # a base file's path below the table, or a partition's
        ("column", pa.string()),
        ("lower", pa.string()),  # JSON of the bound, null where there is none
        ("upper", pa.string()),
        ("nulls", pa.int64()),
        ("values", pa.int64()),  # as Hudi counts them: with the nulls
        ("tight", pa.bool_()),  # Hudi's own word for it
    ]
)
"""Schema of the live records, one row each."""
LONGEST = 80
"""Characters of a bound that are quoted."""


def stored_metrics(records: pa.Table, arrow: pa.DataType) -> tuple[pa.Table, pa.Array]:
    """The records of one column as stored metrics, and why a bound is no value of its type: null where it is one.

    Besides what stored metrics have: `recorded`, whether there is a record, and `tight`, whether Hudi calls it so.
    """
    (lower, below), (upper, above) = (decode(records[bound], arrow) for bound in ("lower", "upper"))
    metrics = pa.table(
        {
            "lower": lower,
            "upper": upper,
            "value_count": records["values"],
            "null_count": records["nulls"],
            "nan_count": pa.nulls(len(records), pa.int64()),
            "recorded": pc.is_valid(records["of"]),
            "tight": records["tight"].fill_null(False),
        }
    )
    return metrics, pc.coalesce(below, above)


def decode(texts: pa.ChunkedArray, arrow: pa.DataType) -> tuple[pa.Array, pa.Array]:
    """The bounds in these JSON texts as values of the type, and why those that are none are null.

    Numbers and decimals are JSON numbers or strings ("NaN", "Infinity"), text is a string, bytes are base64. Dates are
    ISO 8601 or days since 1970, timestamps ISO 8601 or microseconds since 1970. A decimal that is not a number is the
    base64 of its unscaled value, as in Avro.
    """
    values, why = [], []
    for text in texts.to_pylist():
        value, words = None, None
        try:
            value = None if text is None else pa.scalar(_parsed(text, arrow), arrow)
        except (ValueError, TypeError, ArithmeticError):
            words = f"a bound that is no {arrow}: {text[:LONGEST]}"
        values.append(value)
        why.append(words)
    return pa.array(values, arrow), pa.array(why, pa.string())


def _parsed(text: str, arrow: pa.DataType) -> Any:
    """What Arrow makes a value of the type from. Raises ValueError, TypeError or ArithmeticError for anything else."""
    parsed, is_ = json.loads(text, parse_float=Decimal), pa.types
    if is_.is_nested(arrow) or isinstance(parsed, bool) is not is_.is_boolean(arrow):
        raise TypeError
    if is_.is_floating(arrow):
        return float(parsed)
    if is_.is_decimal(arrow):
        return _decimal(parsed, arrow.scale) if isinstance(parsed, str) else parsed
    if isinstance(parsed, Decimal):
        raise TypeError
    if is_.is_binary(arrow) or is_.is_large_binary(arrow) or is_.is_fixed_size_binary(arrow):
        return base64.b64decode(parsed, validate=True)
    if is_.is_temporal(arrow) and isinstance(parsed, str):
        return (dt.date if is_.is_date(arrow) else dt.datetime).fromisoformat(parsed)
    return parsed


def _decimal(text: str, scale: int) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        unscaled = int.from_bytes(base64.b64decode(text, validate=True), "big", signed=True)
        return Decimal(unscaled).scaleb(-scale, Context(prec=80))

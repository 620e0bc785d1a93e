"""Hudi's index records with typed bounds, next to the actual values."""

from __future__ import annotations

import base64
import binascii
import datetime as dt
import json
from collections.abc import Callable
from decimal import Context, Decimal, InvalidOperation
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.hudi.actual_values import Kind, actual_metrics_of, column_values
from xtable_audit.hudi.case import HudiStage
from xtable_audit.model.malformed import Malformed

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


def recorded_columns(stage: HudiStage, kind: Kind) -> list[str]:
    """The columns with records in an index of the stage, sorted; empty if the table lacks the index."""
    if kind not in stage.indexed:
        return []
    return sorted(stage.index.filter(pc.equal(stage.index["kind"], kind))["column"].unique().to_pylist())


@lru_cache(maxsize=4096)
def records(stage: HudiStage, kind: Kind, column: str) -> pa.Table:
    """The records of one column, with the schema INDEX."""
    return stage.index.filter((pc.field("kind") == kind) & (pc.field("column") == column))


@lru_cache(maxsize=4096)
def statistics(stage: HudiStage, kind: Kind, column: str) -> pa.Table:
    """One row per record of a live file or partition.

    `of`, `lower`, `upper` (typed), `said_nulls`, `said_values`, `tight` come from Hudi; `min`, `max`, `rows`, `nulls`,
    `nans` from `actual_metrics_of`. Raises Malformed if a bound is not of its column's type, KeyError if the table
    lacks the column.
    """
    entries, actual = records(stage, kind, column), actual_metrics_of(stage, kind, column)
    entries = entries.filter(pc.is_in(entries["of"], actual["of"].combine_chunks()))
    beside = actual.drop_columns(["of"]).take(
        pc.index_in(entries["of"].combine_chunks(), actual["of"].combine_chunks())
    )
    arrow = actual["min"].type
    return pa.table(
        {
            "of": entries["of"],
            "lower": decode(entries["lower"], arrow, f"{kind} of {column}"),
            "upper": decode(entries["upper"], arrow, f"{kind} of {column}"),
            "said_nulls": entries["nulls"],
            "said_values": entries["values"],
            "tight": entries["tight"],
        }
        | {name: beside[name] for name in beside.column_names}
    )


def is_column(stage: HudiStage, column: str) -> bool:
    return column_values(stage, column) is not None


def decode(texts: pa.Array | pa.ChunkedArray, arrow: pa.DataType, where: str) -> pa.Array:
    """The bounds in these JSON texts as an array of `arrow`; null stays null.

    Numbers and decimals are JSON numbers or strings ("NaN", "Infinity"), text is a string, bytes are base64. Dates are
    ISO 8601 or days since 1970, timestamps ISO 8601 or microseconds since 1970. A decimal that is not a number is the
    base64 of its unscaled value, as in Avro. Raises Malformed, naming `where`, for anything else.
    """
    read = _reader(arrow)
    values = []
    for text in texts.to_pylist():
        try:
            if read is None:
                raise ValueError
            value = None if text is None else read(json.loads(text, parse_float=Decimal))
            values.append(pa.scalar(value, arrow))
        except (ValueError, TypeError, OverflowError, InvalidOperation, binascii.Error, pa.ArrowException) as error:
            raise Malformed(where, f"holds a bound that is no {arrow}: {text[:80]}") from error
    return pa.array(values, arrow)


def _reader(arrow: pa.DataType) -> Callable[[Any], Any] | None:
    """The function that makes a value of this type from parsed JSON; None for an unsupported type."""
    is_ = pa.types
    if is_.is_string(arrow) or is_.is_large_string(arrow):
        return _text
    if is_.is_boolean(arrow):
        return _flag
    if is_.is_integer(arrow):
        return _whole
    if is_.is_floating(arrow):
        return _floating
    if is_.is_decimal(arrow):
        return lambda parsed: _decimal(parsed, arrow.scale)
    if is_.is_date(arrow):
        return _day
    if is_.is_timestamp(arrow):
        return lambda parsed: _moment(parsed, zoned=arrow.tz is not None)
    if is_.is_binary(arrow) or is_.is_large_binary(arrow) or is_.is_fixed_size_binary(arrow):
        return lambda parsed: base64.b64decode(_text(parsed), validate=True)
    return None


def _text(parsed: Any) -> str:
    if not isinstance(parsed, str):
        raise TypeError
    return parsed


def _flag(parsed: Any) -> bool:
    if not isinstance(parsed, bool):
        raise TypeError
    return parsed


def _whole(parsed: Any) -> int:
    if isinstance(parsed, bool) or not isinstance(parsed, int):
        raise TypeError
    return parsed


def _floating(parsed: Any) -> float:
    """Accepts Java's strings "NaN", "Infinity" and "-Infinity"."""
    if isinstance(parsed, bool) or not isinstance(parsed, int | float | Decimal | str):
        raise TypeError
    return float(parsed)


def _decimal(parsed: Any, scale: int) -> Decimal:
    if isinstance(parsed, bool) or not isinstance(parsed, int | Decimal | str):
        raise TypeError
    try:
        number = Decimal(parsed)
    except InvalidOperation:
        unscaled = int.from_bytes(base64.b64decode(_text(parsed), validate=True), "big", signed=True)
        return Decimal(unscaled).scaleb(-scale, WIDE)
    return _of_scale(number, scale)


WIDE = Context(prec=80)


def _of_scale(number: Decimal, scale: int) -> Decimal:
    """The number at the column's scale; Hudi stores every decimal with 15 decimal places.

    Raises ValueError if that changes the value.
    """
    exact = number.quantize(Decimal(1).scaleb(-scale), context=WIDE)
    if exact != number:
        raise ValueError
    return exact


def _day(parsed: Any) -> dt.date | int:
    return _whole(parsed) if isinstance(parsed, int) else dt.date.fromisoformat(_text(parsed))


def _moment(parsed: Any, *, zoned: bool) -> dt.datetime:
    if isinstance(parsed, int):
        moment = EPOCH + dt.timedelta(microseconds=_whole(parsed))
    else:
        moment = dt.datetime.fromisoformat(_text(parsed))
        moment = moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)
    return moment if zoned else moment.astimezone(dt.UTC).replace(tzinfo=None)

"""Decodes Iceberg's single-value serialization (spec, Appendix D) into typed Arrow arrays, one column at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg import types
from pyiceberg.types import PrimitiveType

from xtable_audit.formats.iceberg.columns import arrow_type

LITTLE_ENDIAN: dict[type[PrimitiveType], str] = {
    types.BooleanType: "?",
    types.IntegerType: "<i4",
    types.DateType: "<i4",
    types.LongType: "<i8",
    types.TimeType: "<i8",
    types.TimestampType: "<i8",
    types.TimestamptzType: "<i8",
    types.FloatType: "<f4",
    types.DoubleType: "<f8",
}
"""Fixed-width types and the numpy dtype of their bytes."""

PROMOTED_FROM: dict[type[PrimitiveType], str] = {types.LongType: "<i4", types.DoubleType: "<f4"}
"""Int to long, float to double: bounds written before a promotion keep four bytes (spec, Type Promotion)."""

WIDEST = 16
"""Bytes of the longest decimal."""
Bytes = np.ndarray[Any, np.dtype[np.uint8]]
Numbers = np.ndarray[Any, np.dtype[np.int64]]
NONE: Numbers = np.zeros(0, np.int64)

AS_BYTES = (types.BinaryType, types.FixedType, types.UUIDType)


class Undecodable(ValueError):
    """The bytes of a bound are not a value of the column's type."""


def decode(values: pa.Array, iceberg: PrimitiveType) -> pa.Array:
    """Single-value bytes (`binary`, null if absent) as an array of the column's Arrow type.

    Raises Undecodable if a value's length does not fit the type, its bytes are not UTF-8, or the type is not judged.
    """
    kind = type(iceberg)
    if kind in LITTLE_ENDIAN:
        return _fixed_width(values, iceberg)
    if isinstance(iceberg, types.DecimalType):
        return _decimals(values, iceberg)
    if kind is types.StringType:
        try:
            return pc.cast(values.cast(pa.binary()), pa.string())
        except pa.ArrowInvalid as error:
            raise Undecodable("a bound of a string column is not UTF-8") from error
    if kind in AS_BYTES:
        return values.cast(pa.binary())
    raise Undecodable(f"bounds of type {iceberg} are not known to the judge")


def _fixed_width(values: pa.Array, iceberg: PrimitiveType) -> pa.Array:
    form = np.dtype(LITTLE_ENDIAN[type(iceberg)])
    content, starts, lengths = _content(values)
    narrow = PROMOTED_FROM.get(type(iceberg))
    if (lengths == form.itemsize).all():
        decoded = content.view(form)
    elif narrow and np.isin(lengths, (4, 8)).all():
        decoded, is_narrow = np.empty(len(lengths), form), lengths == 4
        decoded[is_narrow] = _gathered(content, starts[is_narrow], 4).view(narrow)
        decoded[~is_narrow] = _gathered(content, starts[~is_narrow], 8).view(form)
    else:
        raise Undecodable(f"a bound of a {iceberg} column has {lengths.max()} bytes, not {form.itemsize}")
    native = decoded.astype(form.newbyteorder("="))
    storage = pa.array(native) if form.kind == "f" or form.itemsize == 1 else pa.array(native).cast(_integer(form))
    target = arrow_type(iceberg)
    typed = storage if pa.types.is_floating(target) or pa.types.is_boolean(target) else storage.view(target)
    return _spread(typed, values)


def _content(values: pa.Array) -> tuple[Bytes, Numbers, Numbers]:
    """The bytes of all present values one after the other, and where each starts and how long it is."""
    present = values.drop_null().cast(pa.binary())
    if not len(present):
        return np.zeros(0, np.uint8), NONE, NONE
    _, ends, content = present.buffers()
    ends = np.frombuffer(ends, np.int32)[present.offset : present.offset + len(present) + 1].astype(np.int64)
    every = np.frombuffer(content or b"", np.uint8)[ends[0] : ends[-1]]
    return every, ends[:-1] - ends[0], np.diff(ends)


def _gathered(content: Bytes, starts: Numbers, width: int) -> Bytes:
    """So many bytes from each start, one after the other."""
    gathered: Bytes = content[(starts[:, None] + np.arange(width)).reshape(-1)]
    return gathered


def _integer(form: np.dtype[Any]) -> pa.DataType:
    return pa.int32() if form.itemsize == 4 else pa.int64()


def _decimals(values: pa.Array, iceberg: types.DecimalType) -> pa.Array:
    """Widens the unscaled value (two's complement, big-endian, minimal length) to Arrow's 16 little-endian bytes."""
    content, starts, lengths = _content(values)
    if ((lengths < 1) | (lengths > WIDEST)).any():
        raise Undecodable(f"a bound of a {iceberg} column has no bytes, or more than sixteen")
    widened = np.empty((len(lengths), WIDEST), np.uint8)
    widened[:] = np.where(content[starts] & 0x80, 0xFF, 0)[:, None] if len(lengths) else 0  # the sign
    for place in range(lengths.max(initial=0)):  # from the lowest byte
        there = lengths > place
        widened[there, place] = content[(starts + lengths - 1 - place)[there]]
    target = pa.decimal128(iceberg.precision, iceberg.scale)
    return _spread(pa.Array.from_buffers(target, len(lengths), [None, pa.py_buffer(widened)]), values)


def _spread(present: pa.Array, like: pa.Array) -> pa.Array:
    """`present` laid out over the non-null places of `like`."""
    if like.null_count == 0:
        return present
    valid = np.asarray(like.is_valid())
    places = np.where(valid, np.cumsum(valid) - 1, 0)
    return present.take(pa.array(places, mask=~valid)) if len(present) else pa.nulls(len(like), present.type)

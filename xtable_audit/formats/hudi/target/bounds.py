"""Bounds of Hudi's column statistics as values of their columns: a wrapper names the type that its writer saw."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Context, Decimal
from typing import Any

import pyarrow as pa

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

"""Arrow scalars as Python values, including dates and times outside the range of `datetime`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

DOUBLE_DIGITS = int(np.finfo(np.float64).precision)
"""Digits of a decimal that a double keeps."""


@dataclass(frozen=True)
class Beyond:
    """A date or time outside the years 1 to 9999, the range of Python's `datetime`."""

    text: str
    """In ISO 8601."""

    def __str__(self) -> str:
        return self.text


def plain(value: Any) -> Any:
    """An Arrow scalar as a Python value. Other values stay unchanged."""
    if not isinstance(value, pa.Scalar):
        return value
    try:
        return value.as_py()
    except (OverflowError, ValueError):
        unit = "D" if pa.types.is_date(value.type) else value.type.unit
        number = value.cast(pa.int32()) if pa.types.is_date32(value.type) else value
        return Beyond(str(np.array(number.cast(pa.int64()).as_py(), f"datetime64[{unit}]")))


def show(value: Any) -> str:
    """A value or an Arrow scalar as a finding prints it: strings and bytes quoted, None as `nothing`.

    The text is cut to 58 characters if it is longer than 60.
    """
    value = plain(value)
    if value is None:
        return "nothing"
    text = repr(value) if isinstance(value, str | bytes) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}…"

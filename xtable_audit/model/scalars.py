"""Arrow scalars as Python values, those that Python's calendar does not have among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa


@dataclass(frozen=True)
class Beyond:
    """A date or time outside the years 1 to 9999, which Python's `datetime` ends at; Arrow's types do not."""

    text: str
    """In ISO 8601."""

    def __str__(self) -> str:
        return self.text


def plain(value: Any) -> Any:
    """An Arrow scalar as Python has it; what is no scalar stays as it is."""
    if not isinstance(value, pa.Scalar):
        return value
    try:
        return value.as_py()
    except (OverflowError, ValueError):
        unit = "D" if pa.types.is_date(value.type) else value.type.unit
        number = value.cast(pa.int32()) if pa.types.is_date32(value.type) else value
        return Beyond(str(np.array(number.cast(pa.int64()).as_py(), f"datetime64[{unit}]")))


def show(value: Any) -> str:
    """A value or an Arrow scalar as a finding prints it: strings and bytes quoted and cut, None as «nothing»."""
    value = plain(value)
    if value is None:
        return "nothing"
    text = repr(value) if isinstance(value, str | bytes) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}…"

"""What Delta's log says of the values in a file, in the log's own words (Delta protocol, Per-file Statistics)."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

Names = tuple[str, ...]
"""A column's physical names, from the top."""
COUNT = re.compile(r"\d{1,18}")
LONGEST = 60
"""Characters of a value that are quoted."""


class LoggedNumber(str):
    """A number as the log spells it, with every digit. Texts of the log are plain `str`."""


@dataclass(frozen=True)
class FileStatistics:
    """Bounds and counts mirror the schema, by physical names. Leaves are texts, LoggedNumbers and bools."""

    rows: LoggedNumber | None
    """Of the file, those that a deletion vector removes among them."""
    lower: Mapping[str, Any]
    upper: Mapping[str, Any]
    nulls: Mapping[str, Any]
    tight: bool = True
    """False if bounds may be wider than the rows that are left, and null counts say nothing but all and none."""

    @classmethod
    def of(cls, written: Any) -> FileStatistics:
        """Raises ValueError for what has not the shape of statistics."""
        if not isinstance(written, Mapping):
            raise ValueError("statistics are no object")
        lower, upper, nulls = (written.get(name) or {} for name in ("minValues", "maxValues", "nullCount"))
        for part in (lower, upper, nulls):
            if not isinstance(part, Mapping):
                raise ValueError(f"statistics have {part!r} where columns belong")
        rows = written.get("numRecords")
        if not isinstance(rows, LoggedNumber | None):
            raise ValueError(f"statistics have numRecords {rows!r}")
        return cls(rows, lower, upper, nulls, written.get("tightBounds") is not False)


def parsed_statistics(text: str) -> FileStatistics:
    """Raises ValueError for a text that is no JSON, or no statistics."""
    try:
        return FileStatistics.of(
            json.loads(text, parse_float=LoggedNumber, parse_int=LoggedNumber, parse_constant=LoggedNumber)
        )
    except RecursionError as error:
        raise ValueError("statistics are nested too deeply") from error


def as_logged(value: Any) -> Any:
    """A value of a checkpoint's `stats_parsed` as JSON statistics have it; null where it is null."""
    match value:
        case Mapping():
            return {name: as_logged(inside) for name, inside in value.items()}
        case float() if not math.isfinite(value):
            return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        case bool() | str() | None:
            return value
        case Decimal():
            return LoggedNumber(format(value, "f"))
        case int() | float():
            return LoggedNumber(value)
        case datetime() | date() | time():
            return value.isoformat().replace("+00:00", "Z")
    return str(value)


def at(values: Any, names: Names) -> Any:
    """The leaf of that column; None if there is none."""
    for name in names:
        if not isinstance(values, Mapping):
            return None
        values = values.get(name)
    return values


def leaves_in(values: Mapping[str, Any], around: Names = ()) -> Iterator[tuple[Names, Any]]:
    """Every leaf that is not null."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from leaves_in(value, (*around, name))
        elif value is not None:
            yield (*around, name), value


def as_count(said: Any) -> int | None:
    """A number of rows; None for what is none."""
    return int(said) if isinstance(said, LoggedNumber) and COUNT.fullmatch(said) else None


def quoted(value: Any) -> str:
    """A value of the log, as it is written there, shortened."""
    text = str(value) if isinstance(value, LoggedNumber) else repr(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"

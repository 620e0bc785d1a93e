"""Each column of each data file: what the metadata stores of it, against its actual values."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pyarrow as pa
from verdict import Fails  # type: ignore[import-not-found]

UNSOUND = "UNSOUND"


@dataclass
class Column:
    """One column of one data file: stored metrics, None where absent, and actual ones."""

    file: str
    name: str
    kind: pa.DataType
    lower: Any
    upper: Any
    least: Any
    greatest: Any
    nulls: int | None
    values: int | None
    actual_nulls: int
    actual_values: int
    is_cut: tuple[bool, bool] = (False, False)
    """Whether the lower and the upper bound are off their value as the format permits."""
    has_bounds: bool = True
    """Whether writers of the format store bounds of such a column."""


def physical(values: pa.Array) -> list[Any]:
    """Values as bounds decode: days and microseconds as integers, texts as UTF-8; NaN has no place in bounds."""
    kind = values.type
    if pa.types.is_date(kind):
        values = values.cast(pa.int32())
    elif pa.types.is_timestamp(kind):
        values = values.cast(pa.timestamp("us", kind.tz), safe=False).cast(pa.int64())
    elif pa.types.is_string(kind):
        values = values.cast(pa.binary())
    return [value for value in values.to_pylist() if value == value]


def from_physical(value: Any) -> Any:
    return value.decode() if isinstance(value, bytes) else value


def of_columns(columns: list[Column], checked: Collection[str]) -> Iterator[Fails]:
    print("\nfile · column: stored [lower … upper], nulls of values; actual")
    for one in columns:
        if one.name.startswith("_hoodie_"):
            continue
        stored = (
            f"[{show(one.lower, one.kind)} … {show(one.upper, one.kind)}], {count(one.nulls)} of {count(one.values)}"
        )
        actual = (
            f"[{show(one.least, one.kind)} … {show(one.greatest, one.kind)}], {one.actual_nulls} of {one.actual_values}"
        )
        here = f"{one.file[:24]}… · {one.name}: stored {stored}; actual {actual}"
        fails = [(claim, verdict) for claim, verdict in claims_of(one) if claim in checked]
        print(("  ! " if fails else "    ") + here)
        for claim, verdict in fails:
            yield Fails(claim, here, one.name, verdict)


def claims_of(one: Column) -> Iterator[tuple[str, str]]:
    """The claims that the column breaks, each with its verdict where that is worse than usual."""
    nan = [bound for bound in (one.lower, one.upper) if isinstance(bound, float) and bound != bound]
    if nan:
        yield "no_bound_is_nan", ""
    elif one.least is None and (one.lower is not None or one.upper is not None):
        yield "bounds_are_of_values", ""
    elif one.least is not None:
        too_high = one.lower is not None and one.lower > one.least
        too_low = one.upper is not None and one.upper < one.greatest and not one.is_cut[1]
        if one.lower is None and one.upper is None:
            if one.has_bounds:
                yield "bounds_are_present", ""
                yield "points_skip_what_exact_bounds_would", ""
        elif too_high or too_low:
            yield "bounds_contain_values", ""
        elif not is_least(one) or not is_greatest(one):
            yield "bounds_are_tight", ""
    no_values = one.nulls is not None and one.nulls == one.values and one.actual_nulls < one.actual_values
    no_nulls = one.nulls == 0 and one.actual_nulls > 0
    if one.nulls != one.actual_nulls:
        yield "null_counts_are_exact", UNSOUND if no_values or no_nulls else ""
    if one.values != one.actual_values:
        yield "value_counts_are_exact", UNSOUND if no_values else ""


def is_least(one: Column) -> bool:
    return one.lower == one.least or one.is_cut[0]


def is_greatest(one: Column) -> bool:
    return one.upper == one.greatest or one.is_cut[1] or is_truncated(one)


def is_truncated(one: Column) -> bool:
    """An upper bound of text or bytes may be a prefix, counted up by one."""
    return isinstance(one.upper, bytes) and len(one.upper) < len(one.greatest) and one.upper > one.greatest


def count(stored: int | None) -> str:
    return "absent" if stored is None else str(stored)


def loses_values(column: Column) -> bool:
    """Whether a reader that trusts what is stored of it may skip one of its values."""
    broken = dict(claims_of(column))
    return "bounds_contain_values" in broken or bool(broken.get("null_counts_are_exact"))


def show(value: Any, kind: pa.DataType) -> str:
    text = "absent" if value is None else str(value)
    if isinstance(value, bytes):
        text = repr(value.decode(errors="replace"))[1:-1] if is_text(kind) else value.hex()
    if isinstance(value, int) and pa.types.is_temporal(kind):
        since = timedelta(days=value) if pa.types.is_date(kind) else timedelta(microseconds=value)
        try:
            text = f"{datetime(1970, 1, 1) + since}".removesuffix(" 00:00:00")
        except OverflowError:
            text = f"{value} since 1970"
    return text if len(text) <= 26 else f"{text[:21]}…"


def is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))

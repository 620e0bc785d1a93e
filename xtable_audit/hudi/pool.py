"""Literals for predicates on a column: values it holds, values between them and values beyond them."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.hudi.actual_values import column_values, columns
from xtable_audit.hudi.case import HudiStage
from xtable_audit.model.columns import HUDIS_OWN
from xtable_audit.planning.grid import beyond, in_python

PRESENT = 12
"""Maximum number of a column's values to use as literals, spread evenly over all its values."""
WIDE = Context(prec=80, rounding=ROUND_FLOOR)


@dataclass(frozen=True)
class LiteralPool:
    """Literals for one column. Values are distinct and finite; `present` is sorted."""

    column: str
    arrow: pa.DataType
    present: tuple[Any, ...]
    absent: tuple[Any, ...]
    """Values between two present ones, and one below and one above all of them."""


def pools(stage: HudiStage) -> tuple[LiteralPool, ...]:
    """Pools of the table's columns, in table order, without Hudi's metadata columns, structs, lists and maps."""
    own = columns(stage)
    return tuple(
        pool_of(stage, column)
        for column in stage.values.column_names
        if column in own and not column.startswith(HUDIS_OWN) and not pa.types.is_nested(stage.values[column].type)
    )


def pool_of(stage: HudiStage, column: str) -> LiteralPool:
    """The pool of one column. Raises KeyError if the table lacks it."""
    values = column_values(stage, column)
    if values is None:
        raise KeyError(f"no column {column!r} in {stage.words}")
    arrow = values.type
    held = [] if pa.types.is_null(arrow) else _held(values)
    present = [held[place] for place in _spread(len(held))]
    known = set(held)
    absent = [value for low, high in pairwise(present) for value in _between(low, high, arrow) if value not in known]
    if present:
        absent += [value for value in beyond(present[0], present[-1], arrow) if _is_finite(value)]
    return LiteralPool(column, arrow, tuple(present), tuple(absent))


def _spread(size: int) -> list[int]:
    """At most PRESENT indexes, evenly spread from the first to the last."""
    if size <= PRESENT:
        return list(range(size))
    return [round(place * (size - 1) / (PRESENT - 1)) for place in range(PRESENT)]


def _held(values: pa.ChunkedArray) -> list[Any]:
    distinct = pc.unique(values).drop_null()
    return sorted(value for scalar in distinct for value in in_python(scalar) if _is_finite(value))


def _is_finite(value: Any) -> bool:
    return not isinstance(value, float) or math.isfinite(value)


def _between(low: Any, high: Any, arrow: pa.DataType) -> Iterator[Any]:
    """A value of the type between the two, if one is easy to find."""
    match low:
        case bool():
            return
        case int():
            middle: Any = (low + high) // 2
        case float():
            middle = pa.scalar(low / 2 + high / 2, arrow).as_py()
        case Decimal():
            middle = WIDE.divide(WIDE.add(low, high), Decimal(2)).quantize(
                Decimal(1).scaleb(-arrow.scale), context=WIDE
            )
        case str():
            middle = low + "0"
        case bytes():
            middle = low + b"\0"
        case dt.datetime() | dt.date():
            middle = low + (high - low) / 2
        case _:
            return
    if low < middle < high and pa.scalar(middle, arrow).is_valid:
        yield middle

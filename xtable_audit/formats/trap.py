"""Known differences between a format's planners and the judge's own, and what several of them look at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.model.predicate import And, Compare, In, Or, Predicate, columns_of
from xtable_audit.table.stored_metrics import StoredMetrics


@dataclass(frozen=True)
class Trap:
    """A known difference of a planner that does not concern the metadata."""

    words: str
    applies: Callable[[StoredMetrics, Predicate], bool]
    loses: bool = False
    """Whether it may make the planner drop a matching file; otherwise it only keeps more files."""


def at_zero(stored: StoredMetrics, predicate: Predicate) -> bool:
    """A zero literal on a float or double column, and a zero among the bounds."""
    floating = {column for column in columns_of(predicate) if pa.types.is_floating(type_of(stored, column))}
    bounds_of_columns = (stored.columns[column][side] for column in floating for side in ("lower", "upper"))
    bounds = any(pc.any(pc.equal(bound, pa.scalar(0.0, bound.type))).as_py() for bound in bounds_of_columns)
    return bounds and any(column in floating and value == 0 for column, value in operands(predicate))


def type_of(stored: StoredMetrics, column: str) -> pa.DataType:
    return stored.columns[column]["lower"].type


def operands(predicate: Predicate) -> Iterator[tuple[str, Any]]:
    """Each literal with the column it is compared with."""
    match predicate:
        case And(left, right) | Or(left, right):
            yield from operands(left)
            yield from operands(right)
        case Compare(column, _, value):
            yield column, value
        case In(column, values):
            yield from ((column, value) for value in values)

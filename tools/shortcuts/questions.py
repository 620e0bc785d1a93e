"""What is asked: aggregates whose answers stand in the metadata of a healthy table, and their true values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tools.shortcuts.tables import PARTS, ROWS
from xtable_audit.model.predicate import Compare
from xtable_audit.readers.aggregate import Aggregate
from xtable_audit.values.matching_rows import holds

_OF_TWO_FILES = 2 * ROWS


def _both(column: str) -> tuple[Aggregate, ...]:
    return Aggregate("min", column), Aggregate("max", column)


QUESTIONS: Mapping[str, tuple[Aggregate, ...]] = {
    "`count(*)`": (Aggregate("count"),),
    "`count(*)` of one partition": (Aggregate("count", None, Compare("part", "=", PARTS[1])),),
    "`count(*)` of two whole files, by their bounds": (Aggregate("count", None, Compare("id", "<", _OF_TWO_FILES)),),
    "`count(c)`": (Aggregate("count", "amount"),),
    "`min`, `max` of a long": _both("id"),
    "`min`, `max` of a double": _both("amount"),
    "`min`, `max` of a timestamp": _both("at"),
    "`min`, `max` of a date": _both("day"),
    "`min`, `max` of a string": _both("name"),
}
"""By the head of the page's column."""


def truth(rows: pa.Table, asked: Aggregate) -> Any:
    """The answer by the values."""
    if asked.predicate is not None:
        rows = rows.filter(holds(asked.predicate, {name: rows[name] for name in rows.column_names}))
    if asked.column is None:
        return rows.num_rows
    column = rows[asked.column]
    return pc.count(column).as_py() if asked.function == "count" else pc.min_max(column)[asked.function].as_py()

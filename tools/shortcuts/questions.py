"""What is asked of a healthy table: what its metadata answers, or chooses files for; and the true answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tools.shortcuts.tables import PARTS, ROWS, SINCE, code
from xtable_audit.model.aggregate import Aggregate, joined, of_day, where
from xtable_audit.model.predicate import Compare
from xtable_audit.planning.functions_of_columns import of_month
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
CHOOSING: Mapping[str, tuple[Aggregate, ...]] = {
    "a join with two keys": (joined("id", (7, 9 * ROWS)),),
    "`date(ts) = …`": (of_day("at", SINCE),),
    "`month(ts) = …`": (of_month("at", SINCE, range(SINCE.year, SINCE.year + 6), 3),),
    "`lower(s) = …`": (where("lower", code(7), Compare("code", "=", code(7))),),
    "`abs(i) = …`": (where("abs", 7, Compare("id", "=", 7)),),
    "`CAST(i AS VARCHAR) = …`": (where("text", "7", Compare("id", "=", 7)),),
    "`ORDER BY c LIMIT 1`": (Aggregate("min", "id", form="top"), Aggregate("max", "id", form="top")),
}
"""The same, of questions whose rows are in few of the files."""


def truth(rows: pa.Table, asked: Aggregate) -> Any:
    """The answer by the values."""
    if asked.predicate is not None:
        rows = rows.filter(holds(asked.predicate, {name: rows[name] for name in rows.column_names}))
    if asked.column is None:
        return rows.num_rows
    column = rows[asked.column]
    return pc.count(column).as_py() if asked.function == "count" else pc.min_max(column)[asked.function].as_py()

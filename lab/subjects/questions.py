"""Questions by the words users type after `-k`. Each word stands for one or more predicates."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from types import MappingProxyType

from spark_jobs.columns import PICKUP_MONTH
from xtable_audit.model.predicate import And, Compare, Predicate
from xtable_audit.planning.grid import grid
from xtable_audit.subject.case import Case

MONTH, TIME_RANGE = "month", "time_range"
QUESTIONS = (MONTH, TIME_RANGE)
"""The published audit's predicate, and one for the same rows by pickup time."""

GRID: Mapping[str, str] = MappingProxyType(
    {"strings": "s", "longs": "l", "doubles": "d", "decimals": "m", "dates": "day", "timestamps": "at"}
)
"""Word -> the column of `plain_types` that its predicate grid tests."""

ZIP = "zip"
ZIP_CODE = Compare("zip_code", "=", "10001")
"""`select count(1) from shipping_address where zip_code = '10001'`: the query of Hudi's published measurement."""


def predicates(word: str, case: Case, year: int) -> tuple[Predicate, ...]:
    """The predicates of a word, in this table's columns."""
    match word:
        case "month":
            return (Compare(PICKUP_MONTH, "=", f"{year}-03"),)
        case "time_range":
            pickup = case.source.separates[1]
            march, april = (datetime.datetime(year, month, 1, tzinfo=datetime.UTC) for month in (3, 4))
            return (And(Compare(pickup, ">=", march), Compare(pickup, "<", april)),)
        case "zip":
            return (ZIP_CODE,)
    columns = list(GRID.values())
    column = GRID[word]
    return grid(case, column, beside=columns[columns.index(column) - 1])

"""Questions that an engine may answer by metadata: how many rows or values, the least, the greatest."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any, Literal

from xtable_audit.model.predicate import And, Compare, In, Predicate, columns_of, identifier, literal

Function = Literal["count", "min", "max"]
Form = Literal["aggregate", "join", "applied", "top", "limit"]
Applied = Literal["date", "month", "lower", "abs", "text"]
"""A function of a column in a condition. `text` is its cast to a string."""
Shortcut = Literal[
    "rows",
    "rows of a partition",
    "values",
    "ends",
    "joined rows",
    "rows of a day",
    "rows of a month",
    "rows of an absolute value",
    "rows of a text",
    "limited rows",
]
ANSWERING: tuple[Shortcut, ...] = ("rows", "rows of a partition", "values", "ends")
"""What a reader answers from metadata alone: `count(*)`, that of one partition, `count(c)`, `min(c)` and `max(c)`."""
OF_FUNCTIONS: tuple[Shortcut, ...] = ("rows of a day", "rows of a month", "rows of an absolute value", "rows of a text")
CHOOSING: tuple[Shortcut, ...] = ("joined rows", *OF_FUNCTIONS, "limited rows")
"""For what it chooses files by metadata: a join, a condition on a function of a column, LIMIT."""

_CAST = "cast({} as string)"


@dataclass(frozen=True)
class Aggregate:
    """One aggregate of one column over the rows that match. Without a column it counts rows."""

    function: Function
    column: str | None = None
    predicate: Predicate | None = None
    form: Form = "aggregate"
    """How it is asked. `join`: the predicate, an In, is the other side. `applied`: the predicate is `f(c) = value`.
    `top`: `min` and `max` are the first row in an order. `limit`: rows are counted that LIMIT leaves.
    """
    applied: Applied | None = None
    value: Any = None
    """Of the form `applied`: the function of the predicate's one column, and what it gives in these rows."""
    limit: int | None = None
    """Of the form `limit`."""

    @property
    def columns(self) -> frozenset[str]:
        """Those that the answer depends on."""
        own = frozenset() if self.column is None else {self.column}
        return columns_of(self.predicate) | own

    def __str__(self) -> str:
        of = f"{self.function}({'*' if self.column is None else identifier(self.column)})"
        match self:
            case Aggregate(form="limit", limit=limit):
                return f"{of} of LIMIT {limit}"
            case Aggregate(form="top"):
                return f"{of} by ORDER BY … LIMIT 1"
            case Aggregate(form="join", predicate=In(column, values)):
                return f"{of} of a join on {identifier(column)} with {', '.join(map(literal, values))}"
            case Aggregate(form="applied", applied=str(function)):
                [column] = self.columns
                left = _CAST if function == "text" else f"{function}({{}})"
                return f"{of} where {left.format(identifier(column))} = {literal(self.value)}"
        return of if self.predicate is None else f"{of} where {self.predicate}"


def joined(column: str, values: tuple[Any, ...]) -> Aggregate:
    """How many rows have one of the values, asked as a join."""
    return Aggregate("count", None, In(column, values), "join")


def where(applied: Applied, value: Any, predicate: Predicate) -> Aggregate:
    """How many rows have that value of a function of a column, which are those that match the predicate."""
    return Aggregate("count", None, predicate, "applied", applied, value)


def of_day(column: str, start: dt.datetime) -> Aggregate:
    """How many rows have a moment of that day, asked by its date."""
    end = start + dt.timedelta(days=1)
    return where("date", start.date(), And(Compare(column, ">=", start), Compare(column, "<", end)))

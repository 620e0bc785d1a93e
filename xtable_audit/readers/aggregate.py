"""Questions that an engine may answer from metadata alone: how many rows or values, the least, the greatest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

from xtable_audit.model.predicate import Predicate
from xtable_audit.readers.sql import Dialect

Function = Literal["count", "min", "max"]


class NotOffered(Exception):
    """The reader's library has no such question: a user reads the values and computes by themselves."""


@dataclass(frozen=True)
class Aggregate:
    """One aggregate of one column over the rows that match. Without a column it counts rows."""

    function: Function
    column: str | None = None
    predicate: Predicate | None = None

    def __str__(self) -> str:
        where = "" if self.predicate is None else f" where {self.predicate}"
        return f"{self.function}({self.column or '*'}){where}"

    def sql(self, dialect: Dialect, table: str) -> str:
        """The query on `table`, as that dialect writes it."""
        column = "*" if self.column is None else dialect.column(self.column)
        return f"SELECT {self.function}({column}) FROM {table}{dialect.where(self.predicate)}"


class Aggregating(Protocol):
    """A reader that answers such questions."""

    def aggregate(self, metadata_location: str, asked: Aggregate, shortcut: bool = True) -> Any:
        """The value that the engine answers by its default settings, from metadata where it can.

        Without `shortcut` it is kept from that. Raises NotOffered for what its library does not ask, or where nothing
        turns the shortcut off; else as `Reader.query`.
        """
        ...

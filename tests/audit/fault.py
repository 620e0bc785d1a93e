"""A fault: what is spoilt in which healthy table, and exactly what the judge must say of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.audit.draft import Draft
from xtable_audit.model.finding import Verdict
from xtable_audit.model.predicate import Predicate


@dataclass(frozen=True, eq=False)
class Fault:
    """`breaks` are the claims that must deviate, and no other may; `places` are files of the spoilt evidence."""

    id: str
    """Reads on from the table's name: `typed: lower bound of date raised`."""
    table: str
    spoil: Callable[[Draft], None]
    breaks: Mapping[str, Verdict]
    places: tuple[int, ...]
    column: str | None = None
    loses: Callable[[Draft], Predicate] | None = None
    """For UNSOUND metadata: a predicate whose rows a reader that trusts it does not find."""

    def __str__(self) -> str:
        return f"{self.table}: {self.id}"

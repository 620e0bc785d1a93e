"""A fault: what is spoilt in which healthy table, and exactly what the judge must say of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.audit.draft import Draft
from xtable_audit.model.finding import Verdict
from xtable_audit.model.predicate import Predicate

RECORDED = tuple(f"good_layout-{release}-incubating" for release in ("0.4.0", "0.3.0", "0.2.0"))
XTABLE = RECORDED[0]
SHOWN = ("shown", "keyed")
OF_DELETES = ("deleted", "vectors", "counted")
HEALTHY = ("typed", *OF_DELETES, *SHOWN, "spread", "history", "native_iceberg", "good_layout-control", *RECORDED)
NEGATIVE = ("bad_layout-0.4.0-incubating", "bad_layout-control")


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

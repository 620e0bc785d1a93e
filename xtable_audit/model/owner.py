"""Whose bug a finding is: the one attribution of terminal, report, scoreboard and pages."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from xtable_audit.model.finding import Blame


class Owner(StrEnum):
    """In the order in which reports name them."""

    XTABLE = "XTable"
    HUDI = "Hudi"
    DELTA = "Delta"
    READERS = "Readers"
    WRITER = "Writer"
    OTHERS = "Others"


_BY_COMPONENT: Final = {"xtable": Owner.XTABLE, "hudi": Owner.HUDI, "delta": Owner.DELTA}
_BY_KIND: Final = {"reader": Owner.READERS, "writer": Owner.WRITER}


def owner(blame: Blame) -> Owner:
    """Whose fault a blame says it is."""
    return _BY_COMPONENT.get(blame.owner) or _BY_KIND.get(blame.partition(" ")[0], Owner.OTHERS)

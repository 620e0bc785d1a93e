"""Whose bug a finding is: the one attribution of terminal, report, scoreboard and pages."""

from __future__ import annotations

from typing import Final

from xtable_audit.model.finding import SEVERITY, Blame
from xtable_audit.register.entry import Entry

OWNERS: Final = ("XTable", "Hudi", "Delta", "Readers", "Writer", "Others")
_OWNER: Final = {"xtable": "XTable", "hudi": "Hudi", "delta": "Delta"}
_NAMED: Final = {"reader": "Readers", "writer": "Writer"}


def owner(blame: Blame) -> str:
    """Whose fault a blame says it is: one of OWNERS."""
    return _OWNER.get(blame.owner) or _NAMED.get(blame.partition(" ")[0], "Others")


def owner_of(entry: Entry) -> str:
    """That of the gravest thing that the entry says of the component that it is mostly about."""
    component = entry.components[0]
    lasting = [one for one in entry.where if one.component == component and not one.at_times] or list(entry.where)
    return owner(min(lasting, key=lambda one: SEVERITY.index(one.verdict)).blame)

"""Which claims look at what is read after a table's metadata: as their needs say, and as they are seen to."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NoReturn

from xtable_audit.claims import CLAIMS
from xtable_audit.claims.deviation import TableClaim
from xtable_audit.subject.case import Case, Part


class Looked(Exception):
    """A claim looks at what is not read."""


class Unread:
    """Stands for what is not read."""

    def __getattr__(self, name: str) -> NoReturn:
        raise Looked(name)


UNREAD: Any = Unread()


def looking(case: Case, *parts: Part) -> list[str]:
    """The claims that look at these parts of the case, whatever their needs say."""
    source = replace(case.source, shown=UNREAD) if Part.ROWS in parts else case.source
    beside = UNREAD if Part.BESIDE in parts else None
    rows = UNREAD if Part.ROWS in parts else None
    unread = replace(case, actual=UNREAD, beside=beside, source=source, rows=rows)
    return [id for id, claim in CLAIMS.items() if _looks(claim, unread)]


def _looks(claim: TableClaim, case: Case) -> bool:
    try:
        if claim.lacks(case) is None:
            claim.deviations(case)
    except Looked:
        return True
    return False


def waiting(case: Case, *parts: Part) -> list[str]:
    """The claims that wait for these parts, by their needs."""
    unread = replace(case, unread=frozenset(parts))
    lacking = {id: claim.lacks(unread) for id, claim in CLAIMS.items()}
    return [id for id, need in lacking.items() if need is not None and need.waits(unread)]

"""Findings that follow from a false schema or manifest: readers that trust it take other values, or none."""

from __future__ import annotations

from collections.abc import Iterable

from xtable_audit.claims.deviation import TableClaim
from xtable_audit.formats.check_support import Root
from xtable_audit.subject.case import Case

Place = tuple[str | None, str | None]
"""A file's path, or None for none, and a column of it; None for all columns."""


def root_of(roots: Iterable[Root], case: Case, seen: Iterable[Place], claim: TableClaim | None = None) -> Root | None:
    """The first of the roots that together explain every one of these places; None if they do not. `claim` is the one
    that fails there, which is no root of its own.
    """
    places = frozenset(seen)
    failing = {
        root: frozenset(_places(root.claim, case))
        for root in roots
        if places and root.claim is not claim and root.claim.lacks(case) is None
    }
    spoilt = frozenset[Place]().union(*failing.values())
    if not places or not all(_is_within(place, spoilt) for place in places):
        return None
    return next(root for root, of in failing.items() if any(_is_within(place, of) for place in places))


def _places(claim: TableClaim, case: Case) -> Iterable[Place]:
    paths = case.stored.paths
    return ((paths[place], one.column) for one in claim.deviations(case) for place in one.places)


def _is_within(place: Place, spoilt: frozenset[Place]) -> bool:
    return not spoilt.isdisjoint((place, (place[0], None)))

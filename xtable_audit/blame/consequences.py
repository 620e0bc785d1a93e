"""Findings that follow from a fault of the schema: a column's values are then compared with other ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xtable_audit.claims.deviation import TableClaim
from xtable_audit.claims.iceberg.schema import names_are_mapped
from xtable_audit.subject.case import Case

Place = tuple[str, str | None]
"""A file's path and a column of it; None for all columns."""


@dataclass(frozen=True)
class Root:
    """A claim on the schema, and what its failure does to the columns that it names."""

    claim: TableClaim
    effect: str


ROOTS = (Root(names_are_mapped, "readers, and the judge, find nothing of the column in the file and read nulls"),)


def root_of(claim: TableClaim | None, case: Case, seen: Iterable[Place]) -> Root | None:
    """The root by which the claim fails in all of these places; None if it fails in another place too, or is a root."""
    places = frozenset(seen)
    for root in ROOTS:
        if places and root.claim is not claim and root.claim.lacks(case) is None:
            spoilt = frozenset(_places(root.claim, case))
            if all(not {(file, column), (file, None)}.isdisjoint(spoilt) for file, column in places):
                return root
    return None


def _places(claim: TableClaim, case: Case) -> Iterable[Place]:
    paths = case.stored.paths
    return ((paths[place], one.column) for one in claim.deviations(case) for place in one.places)

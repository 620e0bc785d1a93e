"""Findings that follow from a false schema or manifest: readers that trust it take other values, or none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xtable_audit.claims.deviation import TableClaim
from xtable_audit.formats.iceberg.claims.manifests import tuples_have_the_ids_of_the_spec
from xtable_audit.formats.iceberg.claims.schema import (
    field_ids_are_unique,
    names_are_mapped,
    required_columns_have_no_nulls,
)
from xtable_audit.subject.case import Case

Place = tuple[str | None, str | None]
"""A file's path, or None for none, and a column of it; None for all columns."""


@dataclass(frozen=True)
class Root:
    """A claim, and what readers that rely on it do where it fails."""

    claim: TableClaim
    effect: str


OF_VALUES = (Root(names_are_mapped, "readers, and the judge, find nothing of the column in the file and read nulls"),)
"""Why a claim on values or rows may fail."""
OF_PLANNERS = (
    Root(required_columns_have_no_nulls, "planners answer IS NULL on a required column without its metrics"),
    Root(field_ids_are_unique, "planners find bounds by the field id of a column, which is another's too"),
    Root(tuples_have_the_ids_of_the_spec, "planners find partition values by field ids, which the manifest lacks"),
)
"""Why one planner may drop a file that the metadata keeps (Iceberg spec, Schemas; Manifests)."""


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

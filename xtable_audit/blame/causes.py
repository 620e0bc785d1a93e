"""Causes of a finding: signs in the bounds that deviate, or a false schema or manifest from which it follows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.claims.deviation import TableClaim
from xtable_audit.formats.check_support import Root
from xtable_audit.model.deviation_kind import Sign
from xtable_audit.model.scalars import Mask, mask_of
from xtable_audit.subject.case import Case

Bounds = tuple[str | None, Collection[int]]
"""A column, and the places of files whose bounds of it deviate."""


def signs_of(case: Case, found: Sequence[Bounds]) -> tuple[Sign, ...]:
    """The signs that hold of every deviating bound; none if something deviates that is no bound of a column, or the
    sign of files that are out of date.
    """
    if _are_kept_beside(case, found):
        return (Sign.KEPT_BESIDE,)
    if not found or not all(places and column in case.stored.columns for column, places in found):
        return ()
    return tuple(sign for sign, holds in SIGNS.items() if all(_everywhere(holds, case, one) for one in found))


def _are_kept_beside(case: Case, found: Sequence[Bounds]) -> bool:
    beside = case.source.beside or {}
    paths = case.stored.paths
    return bool(found) and all(
        column is None and places and all(paths[place] in beside for place in places) for column, places in found
    )


def _everywhere(holds: Callable[[pa.Table, pa.Table], Mask], case: Case, bounds: Bounds) -> bool:
    column, places = str(bounds[0]), pa.array(sorted(bounds[1]))
    return bool(holds(case.stored.columns[column].take(places), case.actual.columns[column].take(places)).all())


def _zero_for_nulls(stored: pa.Table, actual: pa.Table) -> Mask:
    nulls = mask_of(pc.equal(actual["null_count"], actual["value_count"]))
    return nulls & _is(stored["lower"], 0) & _is(stored["upper"], 0)


def _zero_for_nan(stored: pa.Table, actual: pa.Table) -> Mask:
    return mask_of(pc.greater(actual["nan_count"], 0)) & (_is(stored["lower"], 0) | _is(stored["upper"], 0))


def _thousandth(stored: pa.Table, actual: pa.Table) -> Mask:
    if not pa.types.is_timestamp(stored["lower"].type):
        return np.zeros(stored.num_rows, dtype=bool)
    pairs = ((stored["lower"], actual["min"]), (stored["upper"], actual["max"]))
    same = [mask_of(pc.equal(_number(ours), pc.divide(_number(theirs), 1000))) for ours, theirs in pairs]
    return same[0] & same[1]


SIGNS: Mapping[Sign, Callable[[pa.Table, pa.Table], Mask]] = {
    Sign.ZERO_FOR_NULLS: _zero_for_nulls,
    Sign.ZERO_FOR_NAN: _zero_for_nan,
    Sign.THOUSANDTH: _thousandth,
}


def _is(bounds: pa.ChunkedArray, number: int) -> Mask:
    """Marks bounds that are this number; none for bounds that are no numbers, such as text."""
    numbers = _number(bounds)
    return np.zeros(len(bounds), dtype=bool) if numbers is None else mask_of(pc.equal(numbers, number))


def _number(bounds: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Bounds as numbers: days, microseconds or 0 and 1 for dates, timestamps and booleans."""
    kind = bounds.type
    if pa.types.is_date32(kind):
        return bounds.cast(pa.int32())
    if pa.types.is_timestamp(kind) or pa.types.is_time64(kind):
        return bounds.cast(pa.int64())
    if pa.types.is_boolean(kind):
        return bounds.cast(pa.int8())
    numeric = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    return bounds if numeric else None


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

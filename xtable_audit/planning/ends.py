"""Few predicates for a reader that is slow to ask: on each column of the source, its ends and its nulls."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.model.predicate import Compare, IsNull, Predicate
from xtable_audit.subject.case import Case


def ends(case: Case) -> tuple[Predicate, ...]:
    """IS NULL and IS NOT NULL, by one of which each row of the source matches, and equality with the least and the
    greatest value, where a false bound loses rows. Empty if the source's rows are not known.
    """
    shown = case.source.shown
    if shown is None:
        return ()
    return tuple(
        predicate
        for name in shown.column_names
        if name in case.stored.columns
        for predicate in _of_column(name, shown[name])
    )


def _of_column(name: str, values: pa.ChunkedArray) -> Iterator[Predicate]:
    yield IsNull(name)
    yield IsNull(name, negated=True)
    known = values.drop_null()
    if pa.types.is_floating(known.type):
        known = known.filter(pc.invert(pc.is_nan(known)))
    if len(known):
        order = pc.sort_indices(known)
        yield from dict.fromkeys(Compare(name, "=", known[order[place].as_py()].as_py()) for place in (0, -1))

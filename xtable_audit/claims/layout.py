"""The data layout of the source, which limits what any metadata can skip. Its faults are never the translator's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.claims.deviation import Deviation, deviation, file_name
from xtable_audit.claims.needs import LAID_OUT, READ
from xtable_audit.model.claim import Need, claim
from xtable_audit.model.figures import many
from xtable_audit.model.finding import Blame, Verdict
from xtable_audit.model.scalars import show
from xtable_audit.subject.case import Case

SPEC = "a file whose values overlap another's cannot be told from it by any bound"


@claim(
    "no two files overlap in the values of a column they are laid out by",
    needs=(LAID_OUT, READ),
    spec=SPEC,
    breaks=Verdict.LOOSE,
)
def files_do_not_overlap(case: Case) -> Iterator[Deviation]:
    own = _own(case)
    for column in _known(case, case.source.separates):
        true = case.actual.columns[column]
        yield from deviation(
            overlapping(true, own),
            saw=partial(_saw, case, true),
            expected=lambda i: "a range of its own",
            column=column,
        )


@claim(
    "every file holds one value of its partition columns, and no other file holds it",
    needs=(LAID_OUT, READ),
    spec=SPEC,
    breaks=Verdict.LOOSE,
)
def every_file_holds_one_value_of_its_own(case: Case) -> Iterator[Deviation]:
    own = _own(case)
    for column in _known(case, case.source.partition_by):
        true = case.actual.columns[column]
        lows = true["min"].to_pylist()
        times = Counter(lows[place] for place in own)
        shared = np.isin(np.arange(len(lows)), own) & np.array([times[low] > 1 for low in lows], dtype=bool)
        some_null = pc.and_(pc.greater(true["null_count"], 0), pc.less(true["null_count"], true["value_count"]))
        mixed = pc.or_(pc.not_equal(true["min"], true["max"]).fill_null(False), some_null.fill_null(False))
        yield from deviation(
            shared | np.asarray(mixed),
            saw=partial(_saw, case, true),
            expected=lambda i: "one value, this file's own",
            column=column,
        )


@dataclass(frozen=True)
class NegativeControl:
    """A table with a deliberately bad layout."""

    case: Case


@claim(
    "every file of the negative control overlaps another",
    needs=Need[NegativeControl](LAID_OUT.words, lambda control: LAID_OUT.count(control.case)),
    spec="the negative control: a suite that calls it tight is broken",
    breaks=Verdict.LOOSE,
    blame=(Blame.SUITE, "the negative control must look as bad as it is laid out"),
)
def negative_control_overlaps_everywhere(control: NegativeControl) -> Iterator[Deviation]:
    overlapping = files_do_not_overlap.deviations(control.case)
    touched = {place for one in overlapping for place in one.places}
    spared = set(range(control.case.stored.files.num_rows)) - touched
    if spared:
        yield Deviation(tuple(sorted(spared)), f"{many(len(spared), 'file')} look tight", "every file overlaps another")


def _known(case: Case, columns: tuple[str, ...]) -> list[str]:
    """The columns that the table's schema has; metadata from before the first sync has none."""
    return [column for column in columns if column in case.actual.columns]


def _own(case: Case) -> list[int]:
    """The source's own files that are read, each once: wrongly listed files are not a fault of the layout."""
    first = {path: place for place, path in reversed(list(enumerate(case.stored.paths)))}
    read = case.actual.files["record_count"].is_valid().to_pylist()
    return sorted(place for path, place in first.items() if path in case.source.base_files and read[place])


def overlapping(true: pa.Table, own: list[int]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Marks files whose range overlaps another file's, found in the order of their minima."""
    overlaps = np.zeros(true.num_rows, dtype=bool)
    ranges = true.select(["min", "max"]).take(pa.array(own, pa.int64()))
    holding = np.flatnonzero(np.asarray(pc.is_valid(ranges["min"])))
    if not len(holding):
        return overlaps
    ranges = ranges.take(pa.array(holding))
    both = pa.chunked_array([*ranges["min"].chunks, *ranges["max"].chunks])
    ranks = np.asarray(pc.rank(both, tiebreaker="dense")).astype(np.int64)
    low, high = ranks[: len(holding)], ranks[len(holding) :]
    order = np.argsort(low, kind="stable")
    low, high = low[order], high[order]
    reach = np.maximum.accumulate(high)  # of all files up to this one
    meets = low[1:] <= reach[:-1]
    holder = np.maximum.accumulate(np.where(np.concatenate([[True], high[1:] > reach[:-1]]), np.arange(len(high)), 0))
    places = np.asarray(own)[holding][order]
    overlaps[places[1:][meets]] = True
    overlaps[places[holder[:-1]][meets]] = True
    return overlaps


def _saw(case: Case, true: pa.Table, place: int) -> str:
    low, high = show(true["min"][place]), show(true["max"][place])
    return f"{low} … {high} in {file_name(case, place)}, inside another file's range"

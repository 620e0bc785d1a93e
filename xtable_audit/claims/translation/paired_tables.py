"""The same rows in two tables: stored metrics of a file in one table against its twin's in the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from xtable_audit.claims.deviation import Deviation
from xtable_audit.model.claim import Need, claim
from xtable_audit.model.columns import HUDIS_OWN
from xtable_audit.model.finding import Verdict
from xtable_audit.model.fingerprint import example
from xtable_audit.model.scalars import show
from xtable_audit.subject.case import Case
from xtable_audit.values.value_codes import numbered

COMPARED = ("lower", "upper", "null_count")


class NoTwins(Exception):
    """The two tables do not hold the same rows in the same files."""


@dataclass(frozen=True)
class Pair:
    """The same rows in the same files of two tables."""

    case: Case
    """The table with Hudi's column stats index."""
    other: Case
    """The table without it."""


COMPARABLE = Need[Pair](
    "a column of the user's in a file", lambda pair: len(columns(pair.case)) * len(pair.case.stored.paths)
)


@claim(
    "bounds and null counts from Hudi's column statistics are those from the footers of the same rows",
    needs=COMPARABLE,
    spec="XTable reads a file's statistics from Hudi's metadata table where it has them, else from the footer",
    breaks=Verdict.LOOSE,
)
def both_ways_say_the_same(pair: Pair) -> Iterator[Deviation]:
    """Places of deviations refer to `case`. Raises NoTwins."""
    case, other = pair.case, pair.other
    mine, theirs = pairs(case, other)
    for column in columns(case):
        here, there = case.stored.columns[column], other.stored.columns[column]
        for metric in COMPARED:
            one, two = here[metric].take(mine), there[metric].take(theirs)
            wrong = np.flatnonzero(np.not_equal(*numbered(one, two)))
            if len(wrong):
                places = tuple(int(mine[int(place)].as_py()) for place in wrong)
                saw, expected = example(
                    (f"{metric} {show(one[int(at)])}", f"{metric} {show(two[int(at)])}") for at in wrong
                )
                yield Deviation(places, saw, f"{expected}, as {other.id} says of the same rows", column, kind=metric)


def pairs(case: Case, other: Case) -> tuple[pa.Array, pa.Array]:
    """Places of files with the same extremes and counts, in both tables in the same order. Raises NoTwins."""
    mine, theirs = values(case), values(other)
    if set(mine) != set(theirs) or len(mine) != len(case.stored.paths) or len(theirs) != len(other.stored.paths):
        raise NoTwins(f"{case.id} and {other.id} do not hold the same rows in the same files")
    return pa.array(list(mine.values()), pa.int64()), pa.array([theirs[one] for one in mine], pa.int64())


def values(case: Case) -> dict[str, int]:
    """Extremes and counts of every column of a file, as text -> the file's place."""
    rows = [case.actual.columns[column].to_pylist() for column in columns(case)]
    return {repr(of_file): place for place, of_file in enumerate(zip(*rows, strict=True))}


def columns(case: Case) -> list[str]:
    return sorted(column for column in case.stored.columns if not column.startswith(HUDIS_OWN))

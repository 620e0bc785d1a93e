"""The same rows, written twice: what the metadata says of a file of one table against its twin's in the other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from xtable_audit.claims.claim import Deviation
from xtable_audit.model.columns import HUDIS_OWN
from xtable_audit.model.fingerprint import example
from xtable_audit.model.scalars import show
from xtable_audit.subject.case import Case
from xtable_audit.values.value_codes import numbered

"""Columns that hold the times and the names of Hudi's own files: no two tables share them."""
COMPARED = ("lower", "upper", "null_count")


class NoTwins(Exception):
    """The two tables do not hold the same rows in the same files."""


def differences(case: Case, other: Case) -> Iterator[Deviation]:
    """Places are those of `case`. Raises NoTwins."""
    mine, theirs = pairs(case, other)
    for column in columns(case):
        here, there = case.stored.columns[column], other.stored.columns[column]
        for said in COMPARED:
            one, two = here[said].take(mine), there[said].take(theirs)
            wrong = np.flatnonzero(np.not_equal(*numbered(one, two)))
            if len(wrong):
                places = tuple(int(mine[int(place)].as_py()) for place in wrong)
                saw, expected = example(
                    (f"{said} {show(one[int(at)])}", f"{said} {show(two[int(at)])}") for at in wrong
                )
                yield Deviation(places, saw, f"{expected}, as {other.id} says of the same rows", column, kind=said)


def pairs(case: Case, other: Case) -> tuple[pa.Array, pa.Array]:
    """Places of the files with the same values: the first's, and the second's in the same order. Raises NoTwins."""
    mine, theirs = values(case), values(other)
    if set(mine) != set(theirs) or len(mine) != len(case.stored.paths) or len(theirs) != len(other.stored.paths):
        raise NoTwins(f"{case.id} and {other.id} do not hold the same rows in the same files")
    return pa.array(list(mine.values()), pa.int64()), pa.array([theirs[one] for one in mine], pa.int64())


def values(case: Case) -> dict[str, int]:
    """Smallest and largest value of every column of a file, and its place."""
    rows = [case.actual.columns[column].to_pylist() for column in columns(case)]
    return {repr(of_file): place for place, of_file in enumerate(zip(*rows, strict=True))}


def columns(case: Case) -> list[str]:
    return sorted(column for column in case.stored.columns if not column.startswith(HUDIS_OWN))

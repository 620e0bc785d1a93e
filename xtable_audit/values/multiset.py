"""Compares two tables as multisets of rows. Each value is a number, the same in both tables for equal values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from xtable_audit.values.value_codes import Numbers, combined

MOST = 1000
"""Rows of one key that are paired by likeness; the effort grows with the square of their number."""


@dataclass(frozen=True)
class Comparison:
    """Row indexes in our table or in theirs."""

    missing: Numbers
    """Theirs: rows that ours lacks or has less often."""
    foreign: Numbers
    """Ours: rows whose key theirs lacks."""
    surplus: Numbers
    """Ours: extra rows of a key that theirs has less often."""
    repeated: Numbers
    """Ours: all rows with the key of a surplus row."""
    unlike: tuple[Numbers, Numbers]
    """Ours and theirs: rows with equal keys that differ in some value."""


def compare(columns: Mapping[str, tuple[Numbers, Numbers]], key: Sequence[str]) -> Comparison:
    """Removes equal rows from both sides, then pairs the rest by `key`. `columns`: the numbers of ours and of theirs.

    If `key` names every column, rows are either equal or foreign.
    """
    whole, keys = combined(list(columns.values())), combined([columns[name] for name in key])
    ours, theirs = (np.flatnonzero(left) for left in _left_over(*whole))
    mine, yours = keys[0][ours], keys[1][theirs]
    mine_left, yours_left = _left_over(mine, yours)
    known = np.isin(mine, keys[1])
    surplus = ours[mine_left & known]
    return Comparison(
        missing=theirs[yours_left],
        foreign=ours[mine_left & ~known],
        surplus=surplus,
        repeated=np.flatnonzero(np.isin(keys[0], keys[0][surplus])),
        unlike=_paired(columns, _in_order(ours, mine, ~mine_left), _in_order(theirs, yours, ~yours_left), keys[0]),
    )


def _paired(
    columns: Mapping[str, tuple[Numbers, Numbers]], ours: Numbers, theirs: Numbers, keys: Numbers
) -> tuple[Numbers, Numbers]:
    """Both sides with partners at the same index. Rows that share a key get the partner with most equal values.

    `ours` and `theirs` are sorted by key, each key as often in the one as in the other; `keys` are those of ours. More
    than MOST rows of one key stay in their order.
    """
    theirs = theirs.copy()
    starts = np.flatnonzero(np.diff(keys[ours], prepend=-1, append=-1))
    for start, stop in pairwise(starts.tolist()):
        if 1 < stop - start <= MOST:
            here, there = ours[start:stop], theirs[start:stop]
            differing = sum(
                np.not_equal.outer(left[here], right[there]).astype(int) for left, right in columns.values()
            )
            theirs[start:stop] = there[_partners(np.asarray(differing))]
    return ours, theirs


def _partners(differing: Numbers) -> list[int]:
    """For each row of a square matrix the column that is its partner: the pair that differs least comes first."""
    left = differing.astype(float)
    partner = [0] * len(left)
    for _ in range(len(left)):
        row, column = divmod(int(left.argmin()), len(left))
        partner[row] = column
        left[row, :] = left[:, column] = np.inf
    return partner


def _left_over(ours: Numbers, theirs: Numbers) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Marks the rows on each side without a partner of the same number on the other."""
    size = max(ours.max(initial=-1), theirs.max(initial=-1)) + 1
    have, need = np.bincount(ours, minlength=size), np.bincount(theirs, minlength=size)
    return _ordinal(ours) >= need[ours], _ordinal(theirs) >= have[theirs]


def _ordinal(numbers: Numbers) -> Numbers:
    """For each row, how many earlier rows have the same number."""
    order = np.argsort(numbers, kind="stable")
    inside = numbers[order]
    starts = np.searchsorted(inside, inside)
    ordinal = np.empty(len(numbers), dtype=np.int64)
    ordinal[order] = np.arange(len(numbers)) - starts
    return ordinal


def _in_order(rows: Numbers, keys: Numbers, chosen: np.ndarray[Any, Any]) -> Numbers:
    """The chosen rows sorted by key, so that partners have the same index."""
    order: Numbers = rows[chosen][np.argsort(keys[chosen], kind="stable")]
    return order

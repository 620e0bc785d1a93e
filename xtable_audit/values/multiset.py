"""Two tables of rows compared as multisets: each value becomes a number, the same one in both, and numbers compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from xtable_audit.values.value_codes import Numbers, combined


@dataclass(frozen=True)
class Comparison:
    """Rows by their number in our table or in theirs."""

    missing: Numbers
    """Theirs: rows that we have not, or not as often."""
    foreign: Numbers
    """Ours: rows whose key they have not."""
    surplus: Numbers
    """Ours: rows whose key they have, but not as often."""
    repeated: Numbers
    """Ours: all rows of such a key."""
    unlike: tuple[Numbers, Numbers]
    """Ours and theirs: rows of one key that differ in some value."""


def compare(columns: Mapping[str, tuple[Numbers, Numbers]], key: Sequence[str]) -> Comparison:
    """Takes equal rows away from both, then pairs what is left by `key`. `columns`: the numbers of ours and of theirs.

    Where `key` names every column, rows are equal or foreign to each other.
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
        unlike=(_in_order(ours, mine, ~mine_left), _in_order(theirs, yours, ~yours_left)),
    )


def _left_over(ours: Numbers, theirs: Numbers) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """On each side the rows that have no partner of the same number on the other."""
    size = max(ours.max(initial=-1), theirs.max(initial=-1)) + 1
    have, need = np.bincount(ours, minlength=size), np.bincount(theirs, minlength=size)
    return _ordinal(ours) >= need[ours], _ordinal(theirs) >= have[theirs]


def _ordinal(numbers: Numbers) -> Numbers:
    """Of how many rows before it each has the same number."""
    order = np.argsort(numbers, kind="stable")
    inside = numbers[order]
    starts = np.searchsorted(inside, inside)
    ordinal = np.empty(len(numbers), dtype=np.int64)
    ordinal[order] = np.arange(len(numbers)) - starts
    return ordinal


def _in_order(rows: Numbers, keys: Numbers, chosen: np.ndarray[Any, Any]) -> Numbers:
    """The chosen rows by their key, so that partners stand at the same place."""
    order: Numbers = rows[chosen][np.argsort(keys[chosen], kind="stable")]
    return order

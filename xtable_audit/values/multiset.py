"""Compares two tables as multisets of rows. Each value is a number, the same in both tables for equal values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from xtable_audit.values.value_codes import Numbers, combined


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
        unlike=(_in_order(ours, mine, ~mine_left), _in_order(theirs, yours, ~yours_left)),
    )


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

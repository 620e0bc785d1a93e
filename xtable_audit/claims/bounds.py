"""Stored lower and upper bounds against the actual values of their file."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.claims.deviation import Deviation, deviation, file_name, undecodable
from xtable_audit.claims.needs import (
    BOUNDS,
    BOUNDS_OF_VALUES,
    COLUMNS_THAT_DIFFER,
    FLOAT_BOUNDS,
    NO_VALUES,
    VALUES,
    ZERO_BOUNDS,
)
from xtable_audit.model import rules
from xtable_audit.model.claim import claim
from xtable_audit.model.finding import Verdict
from xtable_audit.model.scalars import Mask, show
from xtable_audit.model.target_rules import Side, TargetRules, has_truncated_upper
from xtable_audit.planning.tightness import tightness
from xtable_audit.subject.case import Case


@claim(
    "lower and upper bound contain every value of their file",
    needs=BOUNDS_OF_VALUES,
    spec=rules.BOUNDS,
    breaks=Verdict.UNSOUND,
)
def bounds_contain_values(case: Case) -> Iterator[Deviation]:
    for column, stored, true in _columns(case):
        yield from _deviation(case, column, stored, true, outside(case, stored, true))


@claim(
    "every stored bound is a value of its column's type",
    needs=BOUNDS,
    spec=rules.SINGLE_VALUE,
    breaks=Verdict.UNREADABLE,
)
def bounds_are_of_the_columns_type(case: Case) -> Iterator[Deviation]:
    """PyIceberg fails on a predicate that needs the bound (0.12, tried). Iceberg's Java reads the first bytes of one
    that is too long.
    """
    yield from undecodable(case, case.stored.undecodable, "value")


@claim(
    "lower and upper bound are the smallest and the largest value of their file",
    needs=BOUNDS_OF_VALUES,
    spec=rules.OPTIONAL_TIGHT,
    breaks=Verdict.LOOSE,
)
def bounds_are_tight(case: Case) -> Iterator[Deviation]:
    for column, stored, true in _columns(case):
        yield from _deviation(case, column, stored, true, loose(case, column, stored, true))


@claim(
    "every column with values has a lower and an upper bound",
    needs=VALUES,
    spec=rules.OPTIONAL_BOUNDS,
    breaks=Verdict.LOOSE,
)
def bounds_are_present(case: Case) -> Iterator[Deviation]:
    """A long value that begins with sixteen of the highest characters or bytes cannot be cut to an upper bound."""
    for column, stored, true in _columns(case):
        wrong = _lacking(case, column, stored, true) & _decoded(case, column)
        yield from _deviation(case, column, stored, true, wrong)


@claim("no bound is NaN", needs=FLOAT_BOUNDS, spec=rules.NO_NAN, breaks=Verdict.LOOSE)
def no_bound_is_nan(case: Case) -> Iterator[Deviation]:
    """A reader that follows the rule then ignores both bounds."""
    for column, stored, true in _columns(case):
        if pa.types.is_floating(stored["lower"].type):
            nan = pc.or_kleene(pc.is_nan(stored["lower"]), pc.is_nan(stored["upper"])).fill_null(False)
            yield from _deviation(case, column, stored, true, nan)


@claim(
    "a bound that is zero has the sign of the values' zeros",
    needs=ZERO_BOUNDS,
    spec=rules.TOTAL_ORDER,
    breaks=Verdict.UNSOUND,
)
def zeros_are_in_total_order(case: Case) -> Iterator[Deviation]:
    """Iceberg's Java uses this order: with a lower bound of +0.0 it skips a file that holds -0.0."""
    for column, stored, true in _columns(case):
        if pa.types.is_floating(stored["lower"].type):
            above = _positive_zero(stored["lower"]) & _negative_zero(true["min"])
            below = _negative_zero(stored["upper"]) & _positive_zero(true["max"])
            yield from _deviation(case, column, stored, true, above | below)


@claim(
    "a column that holds no values in a file has no bounds there",
    needs=NO_VALUES,
    spec=rules.BOUNDS,
    breaks=Verdict.COSMETIC,
)
def bounds_are_of_values(case: Case) -> Iterator[Deviation]:
    for column, stored, true in _columns(case):
        some = pc.or_(pc.is_valid(stored["lower"]), pc.is_valid(stored["upper"]))
        counted = pc.and_(pc.is_valid(true["value_count"]), pc.is_null(true["min"]))
        yield from _deviation(case, column, stored, true, pc.and_(some, counted))


@claim(
    "a point predicate on any column skips as many files as exact bounds would let it",
    needs=COLUMNS_THAT_DIFFER,
    spec=rules.OPTIONAL_TIGHT,
    breaks=Verdict.LOOSE,
)
def points_skip_what_exact_bounds_would(case: Case) -> Iterator[Deviation]:
    guilty = {
        column: mask
        for column, stored, true in _columns(case)
        if _decoded(case, column).all()
        and (mask := loose(case, column, stored, true) | _lacking(case, column, stored, true)).any()
    }
    for score in tightness(case, guilty):
        if score.recorded < score.ideal:
            yield from deviation(
                guilty[score.column],
                saw=partial(_score, score.recorded),
                expected=partial(_score, score.ideal),
                column=score.column,
                absent=partial(absent, case.stored.columns[score.column]),
            )


def _score(share: float, _: int) -> str:
    return f"{share:.0%} of the files skipped, averaged over points"


def outside(case: Case, stored: pa.Table, true: pa.Table) -> Mask:
    """Marks files with values outside of their bounds."""
    too_high = pc.greater(stored["lower"], true["min"]).fill_null(False)
    too_low = pc.less(case.rules.reach(stored["upper"]), true["max"]).fill_null(False)
    beyond: Mask = np.asarray(pc.or_(too_high, too_low))
    return beyond


def loose(case: Case, column: str, stored: pa.Table, true: pa.Table) -> Mask:
    """Marks bounds beyond the actual extremes that are not legal truncations of them."""
    low = _uncut(case.rules, pc.less(stored["lower"], true["min"]), stored["lower"], true["min"], "lower")
    high = _uncut(case.rules, pc.greater(stored["upper"], true["max"]), stored["upper"], true["max"], "upper")
    beyond, optional = low | high, case.stored.optional
    return beyond & ~optional.over(optional.wide, column, stored.num_rows) if beyond.any() else beyond


def _lacking(case: Case, column: str, stored: pa.Table, true: pa.Table) -> Mask:
    """Marks files with values of the column whose bounds are absent and should not be."""
    missing = _missing(stored, true)
    return missing & _with_values(case, column) & _due(case, column) if missing.any() else missing


def _due(case: Case, column: str) -> Mask:
    """Marks files for which the format keeps bounds of the column."""
    optional = case.stored.optional
    return ~optional.over(optional.bounds, column, case.stored.files.num_rows)


def _decoded(case: Case, column: str) -> Mask:
    """Marks files whose stored bounds are values of the column's type, or absent: the others have a claim."""
    why = case.stored.undecodable.get(column)
    return np.ones(case.stored.files.num_rows, dtype=bool) if why is None else np.asarray(why.is_null())


def _with_values(case: Case, column: str) -> Mask:
    """Marks files that hold the column themselves and have values in it."""
    there: Mask = np.asarray(case.actual.held[column]) & np.asarray(pc.is_valid(case.actual.columns[column]["min"]))
    return there


def _negative_zero(values: pa.ChunkedArray) -> Mask:
    zero: Mask = _zero(values) & np.signbit(np.asarray(values))
    return zero


def _positive_zero(values: pa.ChunkedArray) -> Mask:
    zero: Mask = _zero(values) & ~np.signbit(np.asarray(values))
    return zero


def _zero(values: pa.ChunkedArray) -> Mask:
    zero: Mask = np.asarray(values) == 0
    return zero


def _columns(case: Case) -> Iterator[tuple[str, pa.Table, pa.Table]]:
    for column, stored in case.stored.columns.items():
        yield column, stored, case.actual.columns[column]


def _deviation(case: Case, column: str, stored: pa.Table, true: pa.Table, wrong: Any) -> Iterator[Deviation]:
    return deviation(
        wrong,
        saw=lambda i: f"{span(stored['lower'][i], stored['upper'][i])} for {file_name(case, i)}",
        expected=lambda i: f"{span(true['min'][i], true['max'][i])}, its values",
        column=column,
        absent=partial(absent, stored),
    )


def span(lower: Any, upper: Any) -> str:
    """A range as a finding prints it."""
    return f"[{show(lower)} … {show(upper)}]"


def absent(stored: pa.Table) -> pa.ChunkedArray:
    """Marks files without one of the bounds, or without both."""
    return pc.or_(pc.is_null(stored["lower"]), pc.is_null(stored["upper"]))


def _missing(stored: pa.Table, true: pa.Table) -> Mask:
    """Marks absent bounds, but for an upper one that truncation cannot give."""
    if not stored["lower"].null_count and not stored["upper"].null_count:
        return np.zeros(stored.num_rows, dtype=bool)
    upper = np.array(pc.is_null(stored["upper"]))
    if _is_text(stored["upper"].type):
        greatest = true["max"].filter(upper).to_pylist()
        upper[upper] = [value is None or has_truncated_upper(value) for value in greatest]
    missing: Mask = np.asarray(pc.is_null(stored["lower"])) | upper
    return missing


def _uncut(
    rules: TargetRules, beyond: pa.ChunkedArray, bound: pa.ChunkedArray, value: pa.ChunkedArray, side: Side
) -> Mask:
    """Marks the bounds beyond their value that are no legal truncations of it."""
    marked: Mask = np.array(beyond.fill_null(False))
    if marked.any():
        marked[marked] = ~rules.are_cut(bound.filter(marked), value.filter(marked), side)
    return marked


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_binary(kind))

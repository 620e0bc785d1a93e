"""The score, against an example worked out by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.audit.conftest import TableOf
from xtable_audit.planning.tightness import Tightness, tightness
from xtable_audit.subject.case import Case


def case_of(table_of: TableOf, ranges: list[tuple[int, int]], bounds: list[tuple[int | None, int | None]]) -> Case:
    """The typed table with nothing but a column of these extremes and bounds."""
    case = table_of("typed").case

    def table(low: str, high: str, pairs: list[tuple[int | None, int | None]]) -> pa.Table:
        lows, highs = zip(*pairs, strict=True)
        return pa.table({low: pa.array(lows, pa.int64()), high: pa.array(highs, pa.int64())})

    stored = replace(case.stored, columns={"n": table("lower", "upper", bounds)})
    return replace(case, stored=stored, actual=replace(case.actual, columns={"n": table("min", "max", list(ranges))}))


APART = [(0, 9), (10, 19), (20, 29)]
"""Asked for each of the six extremes, exact bounds skip two files of three."""


def test_exact_bounds_score_one(table_of: TableOf) -> None:
    (score,) = tightness(case_of(table_of, APART, list(APART)))
    assert (score.column, score.score) == ("n", 1)
    assert score.recorded == pytest.approx(2 / 3)


def test_one_wide_file_costs_its_share(table_of: TableOf) -> None:
    """The first file is kept for all six points instead of two: of 12 skips 4 are lost."""
    (score,) = tightness(case_of(table_of, APART, [(0, 29), (10, 19), (20, 29)]))
    assert score.recorded == pytest.approx(8 / 18)
    assert score.score == pytest.approx(8 / 12)


def test_one_bound_missing_costs_the_files_on_its_side(table_of: TableOf) -> None:
    """Without its upper bound the first file is kept for the four points above it."""
    (score,) = tightness(case_of(table_of, APART, [(0, None), (10, 19), (20, 29)]))
    assert score.score == pytest.approx(8 / 12)


def test_no_bounds_score_nothing(table_of: TableOf) -> None:
    (score,) = tightness(case_of(table_of, APART, [(None, None)] * 3))
    assert (score.recorded, score.score) == (0, 0)


def test_column_that_no_bounds_could_help_has_no_score(table_of: TableOf) -> None:
    (score,) = tightness(case_of(table_of, [(0, 9)] * 3, [(0, 9)] * 3))
    assert score == Tightness("n", 0, 0)
    assert score.score is None


def test_column_without_values_is_left_out(table_of: TableOf) -> None:
    assert "nothing" not in {score.column for score in tightness(table_of("typed").case)}


def test_many_files_are_probed_at_a_spread_of_points(table_of: TableOf) -> None:
    """1,000 files have 2,000 extremes; each of the 200 probed skips 999 of 1,000 files."""
    many = [(2 * n, 2 * n + 1) for n in range(1000)]
    (score,) = tightness(case_of(table_of, many, list(many)))
    assert score.ideal == pytest.approx(0.999)


NUMBERS = st.none() | st.sampled_from([-math.inf, -1.0, 0.0, 1.0, 2.0, math.inf])
OF_KIND: dict[str, tuple[pa.DataType, st.SearchStrategy[Any], st.SearchStrategy[Any]]] = {
    "double": (pa.float64(), NUMBERS, NUMBERS | st.sampled_from([-0.0, math.nan])),
    "string": (pa.string(), WORDS := st.none() | st.text("aé\U0010ffff", max_size=2), WORDS),
    "boolean": (pa.bool_(), FLAGS := st.none() | st.booleans(), FLAGS),
}
"""Arrow type, extremes, and bounds, which may lie anywhere and be NaN."""


@pytest.mark.parametrize("kind", OF_KIND)
@settings(derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_the_score_is_that_of_trying_each_point_on_each_file(table_of: TableOf, kind: str, data: st.DataObject) -> None:
    arrow, extreme, bound = OF_KIND[kind]
    pairs = st.lists(st.tuples(extreme, extreme, bound, bound), min_size=1, max_size=5)
    least, greatest, lower, upper = ([*of] for of in zip(*data.draw(pairs), strict=True))
    case = table_of("typed").case
    stored = pa.table({"lower": pa.array(lower, arrow), "upper": pa.array(upper, arrow)})
    actual = pa.table({"min": pa.array(least, arrow), "max": pa.array(greatest, arrow)})
    case = replace(
        case,
        stored=replace(case.stored, columns={"n": stored}),
        actual=replace(case.actual, columns={"n": actual}),
    )
    points = {value for value in (*least, *greatest) if value is not None}
    scores = [(one.recorded, one.ideal) for one in tightness(case)]
    assert scores == ([(_tried(lower, upper, points), _tried(least, greatest, points))] if points else [])


def _tried(lower: list[Any], upper: list[Any], points: set[Any]) -> float:
    pairs = [(low, high) for low, high in zip(lower, upper, strict=True) if None not in (low, high)]
    shares = [sum(low > point or high < point for low, high in pairs) / len(lower) for point in sorted(points)]
    return float(np.mean(shares))

"""How tight bounds are: which are honest truncations of a longer value, which are loose, and the score of them all."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyiceberg.utils.truncate import truncate_upper_bound_binary_string, truncate_upper_bound_text_string

from tests.xtable_audit.conftest import TableOf
from xtable_audit.model.target_rules import TRUNCATED, Side, are_truncated, is_truncated_lower, is_truncated_upper
from xtable_audit.planning.tightness import Tightness, tightness
from xtable_audit.subject.case import Case

LONG = "abcdefghijklmnopqrstuvwxyz"
drawn = settings(max_examples=100)
APART = [(0, 9), (10, 19), (20, 29)]
"""Asked for each of the six extremes, exact bounds skip two files of three."""


def case_of(table_of: TableOf, ranges: list[tuple[int, int]], bounds: list[tuple[int | None, int | None]]) -> Case:
    """The typed table with nothing but a column of these extremes and bounds."""
    case = table_of("typed").case

    def table(low: str, high: str, pairs: list[tuple[int | None, int | None]]) -> pa.Table:
        lows, highs = zip(*pairs, strict=True)
        return pa.table({low: pa.array(lows, pa.int64()), high: pa.array(highs, pa.int64())})

    stored = replace(case.stored, columns={"n": table("lower", "upper", bounds)})
    return replace(case, stored=stored, actual=replace(case.actual, columns={"n": table("min", "max", list(ranges))}))


# Which bounds are honest truncations of a longer value, and which are loose.


@drawn
@given(value=st.text(min_size=TRUNCATED + 1), length=st.integers(TRUNCATED, 40))
def test_head_of_a_text_is_an_honest_lower_bound(value: str, length: int) -> None:
    cut = value[:length]
    assert is_truncated_lower(cut, value) == (cut != value)


@drawn
@given(value=st.text(st.characters(codec="utf-8", exclude_characters="\ud7ff"), min_size=TRUNCATED + 1))
def test_pyicebergs_upper_bound_of_a_text_is_honest(value: str) -> None:
    bound = truncate_upper_bound_text_string(value, TRUNCATED)
    assert bound is None or is_truncated_upper(bound, value)


@drawn
@given(value=st.lists(st.sampled_from([0, 7, 254, 255]), min_size=TRUNCATED + 1).map(bytes))
def test_pyicebergs_upper_bound_of_bytes_is_honest(value: bytes) -> None:
    bound = truncate_upper_bound_binary_string(value, TRUNCATED)
    assert bound is None or is_truncated_upper(bound, value)


HONEST: dict[str, tuple[str | bytes, str | bytes]] = {
    "last character raised": ("abcdefghijklmnoq", LONG),
    "raised past a highest byte, which is left out": (b"a" * 14 + b"b", b"a" * 15 + b"\xff" * 9),
    "raised past highest bytes, which are kept": (b"a" * 14 + b"b\xff", b"a" * 15 + b"\xff" * 9),
    "raised past the surrogates": ("a" * 15 + "\ue000", "a" * 15 + "\ud7ff" + "tail"),
    "longer than it need be": (LONG[:19] + "u", LONG),
}

LOOSE: dict[str, tuple[str | bytes, str | bytes]] = {
    "shorter than sixteen": ("abd", LONG),
    "last character raised by two": ("abcdefghijklmnor", LONG),
    "an earlier character raised": ("abcdefghijklmoop", LONG),
    "one character more": ("abcdefghijklmnoq\0", LONG),
    "of no long value": ("abd", "abc"),
    "as long as the value": ("abcdefghijklmnoq", "abcdefghijklmnop"),
}


@pytest.mark.parametrize(("bound", "value"), HONEST.values(), ids=HONEST.keys())
def test_upper_bound_is_honest(bound: str | bytes, value: str | bytes) -> None:
    assert is_truncated_upper(bound, value)


@pytest.mark.parametrize(("bound", "value"), LOOSE.values(), ids=LOOSE.keys())
def test_upper_bound_is_loose(bound: str | bytes, value: str | bytes) -> None:
    assert not is_truncated_upper(bound, value)


@pytest.mark.parametrize("bound", ["abc", "abcdefghijklmnoo", LONG, "abcdefghijklmno"])
def test_lower_bound_is_loose(bound: str) -> None:
    assert not is_truncated_lower(bound, LONG)


TEXTS = st.text(st.sampled_from("ab~\x7e\x7fé\ud7ff\U0010ffff"), min_size=12, max_size=20)

BYTES = st.lists(st.sampled_from([0, 7, 254, 255]), min_size=12, max_size=20).map(bytes)

SLOW: dict[Side, Callable[[Any, Any], bool]] = {"lower": is_truncated_lower, "upper": is_truncated_upper}


@pytest.mark.parametrize("side", SLOW)
@drawn
@given(data=st.data())
def test_many_bounds_are_judged_as_each_of_them(side: Side, data: st.DataObject) -> None:
    """Heads of the value, at times with the last item raised, and other values."""
    kind, of_kind = data.draw(st.sampled_from([(pa.string(), TEXTS), (pa.binary(), BYTES)]))
    values = data.draw(st.lists(of_kind, max_size=6))
    bounds = [data.draw(of_kind | st.sampled_from(_heads(value)) | st.just(value)) for value in values]
    judged = are_truncated(pa.chunked_array([bounds], kind), pa.chunked_array([values], kind), side)
    assert judged.tolist() == [SLOW[side](bound, value) for bound, value in zip(bounds, values, strict=True)]


def _heads(value: Any) -> list[Any]:
    """Of either length about sixteen, as it is and with its last item raised by one where that gives a value."""
    heads = [value[:length] for length in (15, 16, 17)]
    if isinstance(value, bytes):
        return heads + [head[:-1] + bytes([head[-1] + 1]) for head in heads if head[-1] < 0xFF]
    return heads + [head[:-1] + chr(ord(head[-1]) + 1) for head in heads if head[-1] not in "\ud7ff\U0010ffff"]


# The score, against an example worked out by hand.


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
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
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

"""Texts are cut where they agree, and never where they differ."""

from __future__ import annotations

from itertools import takewhile

from hypothesis import assume, given
from hypothesis import strategies as st

from xtable_audit.report.elided import PLACEHOLDER, elided

ROOT, NAME = "s3://lake/tables/delta_paths/", "/part-00004-23a8667d-db13-4576-9ab3-ed5886589bc9.c000.snappy.parquet"
ROOM = 68
PARTS = st.text("ab%25=/", max_size=90)


def test_a_doubled_escape_is_seen() -> None:
    stored, expected = f"{ROOT}p=50%25{NAME}", f"{ROOT}p=50%2525{NAME}"
    assert "p=50%25/" in elided(stored, expected, ROOM)
    assert "p=50%2525/" in elided(expected, stored, ROOM)


def test_a_path_that_is_elsewhere_has_its_beginning() -> None:
    stored, expected = f"file:/lake{NAME}", f"s3://lake{NAME}"
    assert elided(stored, expected, 40).startswith("file:/lake/part-")
    assert elided(expected, stored, 40).startswith("s3://lake/part-")


def test_words_that_have_nothing_in_common_lose_their_middle() -> None:
    assert elided("x" * 100, "the data file", 20) == "x" * 10 + PLACEHOLDER + "x" * 9


def test_words_beside_a_path_stay() -> None:
    told = elided(f"no object at {ROOT}a{NAME} (4 files alike)", f"{ROOT}b{NAME} (by its source)", ROOM)
    assert told.startswith("no object at s3://")
    assert told.endswith(" (4 files alike)")


def agreeing(one: str, other: str) -> int:
    return len(list(takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))))


@given(PARTS, PARTS, PARTS, PARTS)
def test_what_differs_stays_and_what_agrees_is_cut(before: str, one: str, other: str, after: str) -> None:
    left, right = f"s3://lake/{before}{one}{after}", f"s3://lake/{before}{other}{after}"
    assume(left != right)
    start = agreeing(left, right)
    end = agreeing(left[start:][::-1], right[start:][::-1])
    told = elided(left, right, 24), elided(right, left, 24)
    assert told[0] != told[1]
    assert all(
        len(shown) <= max(24, len(whole) - start - end + 2 * (12 + 1))
        for shown, whole in zip(told, (left, right), strict=True)
    )
    for shown, whole in zip(told, (left, right), strict=True):
        assert len(shown) <= len(whole)
        assert whole[start : len(whole) - end] in shown
        kept = shown.split(PLACEHOLDER)
        assert whole.startswith(kept[0])
        assert whole.endswith(kept[-1])
        assert all(part in whole for part in kept)

"""Whose fault it is that a reader cannot make do with XTable's table: the control's over the same source tells."""

from __future__ import annotations

import pytest

from fixtures.expect_reader import does_it_to_the_control_too
from readers.base import Answer, Observation


def counted(rows: int) -> Observation:
    return Observation("reader", "1.0", Answer(rows), frozenset(), 0.1, None)


REFUSED = Observation("reader", "1.0", None, frozenset(), 0.1, "it will not")


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        pytest.param([(REFUSED, REFUSED)] * 2, "it does the same", id="refuses both tables"),
        pytest.param([(counted(0), counted(0))], "it does the same", id="counts as wrong on both"),
        pytest.param(
            [(REFUSED, REFUSED), (REFUSED, counted(0))],
            "too, 1 times of 2",
            id="refuses XTable's, and the control's but once",
        ),
    ],
)
def test_the_reader_does_it_to_the_control_too(pairs: list[tuple[Observation, Observation]], words: str) -> None:
    assert words in does_it_to_the_control_too(pairs)


@pytest.mark.parametrize(
    "pairs",
    [
        pytest.param([(REFUSED, counted(3)), (REFUSED, counted(0))], id="refuses XTable's alone"),
        pytest.param([(counted(0), counted(3))], id="counts wrong on XTable's alone"),
        pytest.param([(counted(0), REFUSED)], id="counts wrong on XTable's and refuses the control's"),
        pytest.param([(REFUSED, REFUSED), (counted(0), counted(3))], id="refuses both and counts wrong on XTable's"),
    ],
)
def test_the_reader_does_not_do_it_to_the_control(pairs: list[tuple[Observation, Observation]]) -> None:
    assert does_it_to_the_control_too(pairs) == ""

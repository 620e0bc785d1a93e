"""Whose fault it is that a reader cannot make do with XTable's table: the control's over the same source tells."""

from __future__ import annotations

import pytest

from fixtures.expect_reader import fares_no_better
from readers.base import Answer, Observation


def counted(rows: int) -> Observation:
    return Observation("reader", "1.0", Answer(rows), frozenset(), 0.1, None)


REFUSED = Observation("reader", "1.0", None, frozenset(), 0.1, "it will not")
ROWS = 3


@pytest.mark.parametrize(
    ("seen", "control"),
    [
        pytest.param(REFUSED, REFUSED, id="refuses both tables"),
        pytest.param(counted(0), counted(0), id="counts as wrong on both"),
        pytest.param(counted(ROWS), counted(ROWS), id="counts right on both, and what it opens is wrong"),
        pytest.param(counted(0), REFUSED, id="counts wrong on XTable's and refuses the control's"),
        pytest.param(REFUSED, counted(0), id="refuses XTable's and counts wrong on the control's"),
    ],
)
def test_a_reader_that_fares_no_better_on_the_controls_table_is_to_blame(
    seen: Observation, control: Observation
) -> None:
    assert fares_no_better(seen, control, ROWS)


@pytest.mark.parametrize(
    "seen",
    [pytest.param(REFUSED, id="refuses XTable's"), pytest.param(counted(0), id="counts wrong on XTable's")],
)
def test_a_reader_that_is_right_on_the_controls_table_is_not_to_blame(seen: Observation) -> None:
    assert not fares_no_better(seen, counted(ROWS), ROWS)

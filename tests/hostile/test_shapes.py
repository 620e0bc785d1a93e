"""What four times as much takes at most six times as long: nothing grows by the square of a shape's size."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.benchmarks.shapes import SHAPES, least

SMALL = {"manifests": 200, "tens": 2000, "positions": 25_000, "equality": 10_000, "columns": 2000, "members": 4000}
"""Sizes at which each takes a tenth of a second, about."""
SMALL |= {"words": 10_000}
MOST = 6.0
UNEVEN = 0.05
"""Seconds of whatever else the process does."""


@pytest.mark.parametrize("shape", SHAPES)
def test_four_times_as_much_takes_six_times_as_long_at_most(shape: str, tmp_path: Path) -> None:
    prepare, size = SHAPES[shape].work, SMALL[shape]
    once, four = least(prepare(tmp_path / "one", size), prepare(tmp_path / "four", 4 * size), times=3)
    assert four <= MOST * once + UNEVEN

"""What is built where no release of XTable resolves."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import pytest
from rich.console import Console

from provision.plan import Plan
from provision.progress import Progress
from provision.provisioner import House
from provision.translation import Translation
from xtable.replay import newest_recording


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """Of a machine with Spark, and recordings for XTable."""
    translation = Translation("recorded", newest_recording(), "no release resolves here")
    house = House(Plan(), Progress(Console(quiet=True)), tmp_path, translation)
    yield house
    house.stop()


@pytest.mark.parametrize("asked", [*permutations(["plain_types-control", "plain_types-xtable"])], ids=" then ".join)
def test_both_translators_have_the_same_recorded_source(house: House, asked: tuple[str, ...]) -> None:
    """Whichever is asked for first."""
    first, second = (house.table(id) for id in asked)
    assert (first.dataset.mode, first.dataset) == ("recorded", second.dataset)
    assert first.translated.metadata_location != second.translated.metadata_location

"""What is built where no release of XTable resolves."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import pytest
from rich.console import Console

from lab.provision.catalogue import Catalogue
from lab.provision.chosen_translation import ChosenTranslation
from lab.provision.plan import Plan
from lab.provision.progress import Progress
from lab.provision.provisioner import Provisioner
from lab.provision.translated import Translated
from xtable.replay import newest_recording


@pytest.fixture
def provisioner(tmp_path: Path) -> Iterator[Provisioner]:
    """Of a machine with Spark, and recordings for XTable."""
    translation = ChosenTranslation("recorded", newest_recording(), "no release resolves here")
    provisioner = Provisioner(Plan(), Catalogue(Plan()), Progress(Console(quiet=True)), tmp_path, translation)
    yield provisioner
    provisioner.stop()


@pytest.mark.parametrize("order", [*permutations(["plain_types-control", "plain_types-xtable"])], ids=" then ".join)
def test_both_translators_have_the_same_recorded_source(provisioner: Provisioner, order: tuple[str, ...]) -> None:
    """In either order of building."""
    first, second = (provisioner.table(id) for id in order)
    assert isinstance(first, Translated)
    assert isinstance(second, Translated)
    assert (first.dataset.mode, first.dataset) == ("recorded", second.dataset)
    assert first.metadata_location != second.metadata_location

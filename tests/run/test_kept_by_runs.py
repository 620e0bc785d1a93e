"""What is kept of earlier runs holds for the code that made it alone."""

from __future__ import annotations

from importlib import import_module
from pkgutil import walk_packages

import pytest

from fixtures.kept_by_runs import DECIDING


@pytest.mark.parametrize("package", [name for name in DECIDING if name.startswith("xtable_audit.")])
def test_a_package_of_the_judge_comes_with_those_in_it_that_read_tables(package: str) -> None:
    """A package's digest has the modules of its own folder alone. Claims, and what a format gives to `check`, make
    nothing that is kept.
    """
    inner = walk_packages(import_module(package).__path__, f"{package}.")
    deciding = {one.name for one in inner if one.ispkg and not one.name.endswith((".claims", ".check"))}
    assert deciding <= set(DECIDING)


def test_claims_do_not_decide_what_is_kept() -> None:
    assert not [name for name in DECIDING if name.endswith("claims")]

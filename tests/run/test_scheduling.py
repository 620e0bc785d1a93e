"""In which order, and together with what, files of the suite's own tests go to workers."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.run.conftest import ROOT
from tests.scheduling import TOGETHER, durations, longest_first, unit

SECONDS = {"tests/b.py": 5.0, "tests/c.py": 9.0}


def order(*nodeids: str) -> list[str]:
    return [item.nodeid for item in longest_first([SimpleNamespace(nodeid=nodeid) for nodeid in nodeids], SECONDS)]


def test_the_longest_file_comes_first() -> None:
    assert order("tests/b.py::x", "tests/c.py::x") == ["tests/c.py::x", "tests/b.py::x"]


def test_a_file_without_a_duration_comes_before_all_others() -> None:
    assert order("tests/c.py::x", "tests/a.py::x") == ["tests/a.py::x", "tests/c.py::x"]


def test_tests_of_a_file_keep_their_order() -> None:
    assert order("tests/c.py::z", "tests/c.py::a") == ["tests/c.py::z", "tests/c.py::a"]


@pytest.mark.parametrize(("file", "other"), TOGETHER.items())
def test_files_that_share_a_session_are_one_unit(file: str, other: str) -> None:
    assert unit(f"{file}::test_x[a]") == unit(f"{other}::test_y") == other


def test_no_file_is_gone_that_has_a_duration_or_a_companion() -> None:
    assert not [file for file in {*durations(), *TOGETHER, *TOGETHER.values()} if not Path(ROOT / file).is_file()]

"""A test of each case: every one is tried, and each that fails is named."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lab.stack.project import ROOT
from tests.of_each import of_each

TESTS = """
import pytest
from tests.of_each import of_each

@pytest.fixture
def two():
    return 2

@of_each("n", [1, 2, 3, 4], ids=lambda n: f"case {n}")
def test_numbers_are_odd(n, two):
    assert n % two

@of_each(("a", "b"), [(1, 1), (2, 2)], ids=["one", "two"])
def test_pairs_are_equal(a, b):
    assert a == b
"""


@pytest.mark.parametrize("workers", [0, 2])
def test_each_case_that_fails_is_named_and_no_other(tmp_path: Path, workers: int) -> None:
    (tmp_path / "test_them.py").write_text(TESTS)
    options = ["-q", "-c", "/dev/null", "-p", "no:cacheprovider", "-p", "fixtures.wire", f"-n{workers}"]
    command = [sys.executable, "-m", "pytest", *options, str(tmp_path)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    failed = [line for line in ran.stdout.splitlines() if line.startswith(("SUBFAILED", "FAILED"))]
    assert ["case 2" in failed[0], "case 4" in failed[1], "test_numbers_are_odd" in failed[2]] == [True] * 3, ran.stdout
    assert (len(failed), ran.returncode) == (3, 1)
    assert "1 passed" in ran.stdout


def test_no_case_is_no_test() -> None:
    with pytest.raises(ValueError, match="no case of entry"):
        of_each("entry", [])

"""pytest in a folder that knows nothing of this suite."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lab.stack.project import ROOT
from tests.forks import Ask, forks_of

OF_A_USER = """
from xtable_audit.claims import bounds
from xtable_audit.claims.translation import rows
from xtable_audit.pytest_plugin import hold

test_bounds = hold(bounds.bounds_contain_values)
test_rows = hold(rows.no_row_is_missing)
"""
OTHERS_OFF = ("-p", "no:hypothesispytest", "-p", "no:anyio")
"""Plugins whose libraries take a second to import. An interpreter of its own has them, as a user's may."""
Ran = subprocess.CompletedProcess[str]
Pytest = Callable[..., Ran]


@pytest.fixture(scope="session")
def warm() -> Iterator[Ask]:
    """pytest in forks of one process: two seconds of imports are paid once."""
    with forks_of("tests.xtable_audit.pytest_plugin.forked_pytest") as ask:
        yield ask


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    """A folder with a user's own test module."""
    folder = tmp_path / "theirs"
    folder.mkdir()
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "test_theirs.py").write_text(OF_A_USER)
    return folder


@pytest.fixture
def run(theirs: Path, warm: Ask) -> Pytest:
    """pytest on a user's own test module, or on the claims that the plugin has ready."""

    def run(*arguments: str) -> Ran:
        out, errors = theirs.parent / "out", theirs.parent / "errors"
        for file in (out, errors):
            file.unlink(missing_ok=True)
        given = [*OTHERS_OFF, *words(theirs, arguments)]
        status = warm(
            folder=str(theirs), arguments=given, environment=environment(), output=str(out), errors=str(errors)
        )
        return Ran(given, status, out.read_text(), errors.read_text())

    return run


@pytest.fixture
def run_alone(theirs: Path) -> Pytest:
    """The same in an interpreter of its own, as a shell runs it."""

    def run(*arguments: str) -> Ran:
        command = [sys.executable, "-m", "pytest", *words(theirs, arguments)]
        return subprocess.run(
            command, cwd=theirs, env=environment(), capture_output=True, text=True, timeout=120, check=False
        )

    return run


def words(theirs: Path, arguments: tuple[str, ...]) -> list[str]:
    plugin = ["-p", "xtable_audit.pytest_plugin.plugin", f"--confcutdir={ROOT / 'xtable_audit'}"]
    return ["-q", "-rs", "-c", str(theirs / "pytest.ini"), *plugin, "-p", "no:cacheprovider", *arguments]


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(ROOT)}

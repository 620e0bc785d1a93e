"""pytest in a folder that knows nothing of this suite."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lab.stack.project import ROOT

OF_A_USER = """
from xtable_audit.claims import bounds
from xtable_audit.claims.translation import rows
from xtable_audit.pytest_plugin import hold

test_bounds = hold(bounds.bounds_contain_values)
test_rows = hold(rows.no_row_is_missing)
"""
Pytest = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path) -> Pytest:
    """pytest on a user's own test module, or on the claims that the plugin has ready."""
    folder = tmp_path / "theirs"
    folder.mkdir()
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "test_theirs.py").write_text(OF_A_USER)

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        plugin = [
            "-p",
            "xtable_audit.pytest_plugin.plugin",
            f"--confcutdir={ROOT / 'xtable_audit'}",
            "-p",
            "no:cacheprovider",
        ]
        command = [sys.executable, "-m", "pytest", "-q", "-rs", "-c", str(folder / "pytest.ini"), *plugin, *arguments]
        here = os.environ | {"PYTHONPATH": str(ROOT)}
        return subprocess.run(command, cwd=folder, env=here, capture_output=True, text=True, timeout=120, check=False)

    return run

"""A runner with an empty workspace."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ci.runner import Runner
from tests.orders import orders

__all__ = ["orders"]


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    workspace, temp = tmp_path / "workspace", tmp_path / "temp"
    workspace.mkdir()
    temp.mkdir()
    return Runner(workspace, temp)

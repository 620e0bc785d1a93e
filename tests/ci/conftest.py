"""A runner with an empty workspace."""

from __future__ import annotations

import sys
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


@pytest.fixture
def checking(runner: Runner) -> Runner:
    """A runner on which the package is installed, by a stand-in for its venv."""
    programs = runner.temp / "xtable-audit-venv" / "bin"
    programs.mkdir(parents=True)
    for name, arguments in (("xtable-audit", '-m xtable_audit "$@"'), ("python", '"$@"')):
        program = programs / name
        program.write_text(f'#!/bin/sh\nPYTHONPATH="{runner.action}" exec "{sys.executable}" {arguments}\n')
        program.chmod(0o755)
    return runner

"""A stand-in for GitHub's runner with an empty workspace: it runs a step of action.yml, in that step's environment."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from lab.stack.project import ROOT
from tests.tables.orders import orders

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
REPORT = "${{ steps.inputs.outputs.report }}"
INPUT = re.compile(r"\$\{\{ inputs\.([\w-]+) \}\}")


@dataclass(frozen=True)
class Runner:
    """`temp` is RUNNER_TEMP, `action` GITHUB_ACTION_PATH; steps run in `workspace`."""

    workspace: Path
    temp: Path
    action: Path = ROOT
    first_on_path: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    """What the job's environment has besides."""

    def run(self, step: str, **inputs: str) -> subprocess.CompletedProcess[str]:
        """The step by its id, with these inputs (`_` for `-`) and the defaults of the others."""
        [found] = [one for one in STEPS if one.get("id") == step]
        given = defaults() | {name.replace("_", "-"): value for name, value in inputs.items()}
        environment = {name: INPUT.sub(lambda one: given[one[1]], text) for name, text in found["env"].items()}
        environment = {name: text.replace(REPORT, f"{self.temp}/xtable-audit") for name, text in environment.items()}
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", found["run"]],  # as GitHub runs it
            cwd=self.workspace,
            env=self._environment() | environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def _environment(self) -> dict[str, str]:
        (self.temp / "xtable-audit").mkdir(exist_ok=True)
        files = {"GITHUB_OUTPUT": self.temp / "output", "GITHUB_STEP_SUMMARY": self.temp / "summary"}
        path = os.pathsep.join([*([str(self.first_on_path)] if self.first_on_path else []), os.environ["PATH"]])
        plain = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "PYTEST_"))}
        paths = {
            "RUNNER_TEMP": self.temp,
            "GITHUB_ACTION_PATH": self.action,
            "GITHUB_WORKSPACE": self.workspace,
            "XTABLE_AUDIT_CACHE": self.temp / "cache",
        }
        ours = {name: str(path) for name, path in (files | paths).items()} | {"PATH": path}
        return plain | ours | dict(self.environment)

    @property
    def outputs(self) -> dict[str, str]:
        lines = _text(self.temp / "output").splitlines()
        return dict(line.split("=", 1) for line in lines)

    @property
    def summary(self) -> str:
        return _text(self.temp / "summary")


def defaults() -> dict[str, str]:
    return {name: one["default"] for name, one in ACTION["inputs"].items()}


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


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

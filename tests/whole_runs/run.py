"""Whole runs of the audit, on recordings: in a fork of a warm process, or in an interpreter of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.forks import forks_of

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Ran:
    """How a run ended: its exit status, all it printed, and its audit.json where it wrote one."""

    status: int
    text: str
    document: dict[str, Any]
    folder: Path

    def outcomes(self) -> dict[str, str]:
        return {claim["test"]: claim["outcome"] for claim in self.document["claims"]}


Audit = Callable[..., Ran]
Start = Callable[[list[str], dict[str, str], Path, Path], int]
"""Runs pytest with these arguments in this environment, its output and errors into these files; its exit status."""


@pytest.fixture(scope="session")
def audit(warm: Start, tmp_path_factory: pytest.TempPathFactory) -> Audit:
    """`audit("-k", "good_layout", …)`: pytest on recordings, with reports in a folder of their own."""
    return _audit(warm, tmp_path_factory)


@pytest.fixture(scope="session")
def audit_alone(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    """The same in an interpreter of its own, as a shell runs it: seconds slower, for the few that guard the others."""
    return _audit(alone, tmp_path_factory)


@pytest.fixture(scope="session")
def warm() -> Iterator[Start]:
    """Runs in forks of one process: five seconds of imports and collection are paid once."""
    with forks_of("tests.whole_runs.forked_audit") as ask:

        def start(arguments: list[str], environment: dict[str, str], output: Path, errors: Path) -> int:
            return ask(arguments=arguments, environment=environment, output=str(output), errors=str(errors))

        yield start


def alone(arguments: list[str], environment: dict[str, str], output: Path, errors: Path) -> int:
    command = [sys.executable, "-m", "pytest", *arguments]
    with output.open("w") as printed, errors.open("w") as broken:
        return subprocess.run(
            command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=printed, stderr=broken, timeout=300
        ).returncode


def _audit(start: Start, folders: pytest.TempPathFactory) -> Audit:
    def run(*arguments: str, recorded: bool = True, environment: dict[str, str] | None = None) -> Ran:
        out = folders.mktemp("out")
        given = [f"--out={out}", "-p", "no:cacheprovider", *arguments, *(["--recorded"] if recorded else [])]
        printed, broken = out / "stdout", out / "stderr"
        status = start(given, os.environ | (environment or {}), printed, broken)
        report = out / "latest" / "audit.json"
        document = json.loads(report.read_text()) if report.exists() else {}
        return Ran(status, printed.read_text() + broken.read_text(), document, out / "latest")

    return run

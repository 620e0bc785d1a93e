"""Whole runs of the audit, on recordings, each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

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


@pytest.fixture(scope="session")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    """`audit("-k", "good_layout", …)`: pytest on recordings, with reports in a folder of their own."""

    def run(*arguments: str, recorded: bool = True, environment: dict[str, str] | None = None) -> Ran:
        out = tmp_path_factory.mktemp("out")
        command = [sys.executable, "-m", "pytest", "-q", f"--out={out}", "-p", "no:cacheprovider", *arguments]
        done = subprocess.run(
            command + (["--recorded"] if recorded else []),
            cwd=ROOT,
            env=os.environ | (environment or {}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
        )
        report = out / "latest" / "audit.json"
        document = json.loads(report.read_text()) if report.exists() else {}
        return Ran(done.returncode, done.stdout + done.stderr, document, out / "latest")

    return run

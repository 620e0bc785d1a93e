"""Asks a process with limits, and starts another one where it dies or hangs."""

from __future__ import annotations

import json
import select
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

from tools.fuzz.judging import End

PATIENCE = 60.0
"""Seconds for one table. The first takes longer: it imports."""
ROOT = Path(__file__).parents[2]


class Judged:
    """A context manager around the process."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._end()

    def end_of(self, metadata: Path) -> tuple[End, str]:
        """How the check of this table ends, and its words."""
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{metadata}\n")
        process.stdin.flush()
        if not select.select([process.stdout], [], [], self._patience)[0]:
            self._end()
            return End.HUNG, f"no answer in {self._patience:.0f} s"
        line = process.stdout.readline()
        if not line:
            self._end()
            return End.DIED, f"status {process.returncode}"
        end, words = json.loads(line)
        return End(end), words

    def _start(self) -> subprocess.Popen[str]:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tools.fuzz.judging"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        return self._process

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

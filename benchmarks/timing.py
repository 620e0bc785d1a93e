"""Wall time and peak memory of whole processes."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping

from stack.project import ROOT


def run(arguments: list[str], environment: Mapping[str, str] | None = None) -> tuple[float, str]:
    """Seconds of `python …` in the project, and its output. Raises if it fails."""
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=os.environ | dict(environment or {}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    seconds = time.monotonic() - started
    if done.returncode != 0:
        raise RuntimeError(
            f"{' '.join(arguments)} ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        )
    return seconds, done.stdout


def median(measure: Callable[[], float], times: int = 3) -> float:
    return statistics.median(measure() for _ in range(times))

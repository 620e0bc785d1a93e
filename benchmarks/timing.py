"""Wall time and peak memory of whole processes."""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

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


def peak() -> int:
    """MiB of memory that this process had at its peak. `ru_maxrss` begins with that of its parent; this does not."""
    told = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text(encoding="utf-8"))
    assert told is not None, "the kernel tells the peak of a process"
    return int(told[1]) >> 10

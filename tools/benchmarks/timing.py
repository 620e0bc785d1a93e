"""Wall time and peak memory of whole processes."""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

import psutil

from lab.stack.project import ROOT


def run(
    arguments: list[str], environment: Mapping[str, str] | None = None, answers: Collection[int] = (0,)
) -> tuple[float, str]:
    """Seconds of `python …` in the project, and its output. Raises if its exit status is none of `answers`."""
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
    if done.returncode not in answers:
        raise RuntimeError(
            f"{' '.join(arguments)} ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        )
    return seconds, done.stdout


def median(measure: Callable[[], float], times: int = 3) -> float:
    return statistics.median(measure() for _ in range(times))


def peak() -> int:
    """MiB of memory that this process and those it has running had at their peaks. `ru_maxrss` begins with that of the
    parent; this does not.
    """
    return sum(_peak(process.pid) for process in _with_children()) >> 10


def _peak(pid: int) -> int:
    found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text(encoding="utf-8"))
    assert found is not None, "the kernel tells the peak of a process"
    return int(found[1])


def used() -> float:
    """Seconds of processor time of this process and of those it has running, of all threads."""
    _, *children = _with_children()  # the clock of this process itself is finer
    return time.process_time() + sum(sum(child.cpu_times()[:2]) for child in children)


def _with_children() -> list[psutil.Process]:
    """Without those that have ended and hold no memory any more."""
    own = psutil.Process()
    return [own, *(one for one in own.children(recursive=True) if one.status() != psutil.STATUS_ZOMBIE)]

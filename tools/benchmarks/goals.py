"""What a user waits for, with its parts: collection alone, one dataset, every known finding once."""

from __future__ import annotations

import json
import resource
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from tools.benchmarks.timing import run

QUIET = ("-q", "-p", "no:cacheprovider", "-p", "tools.benchmarks.parts")
GOALS = {
    "--collect-only": (2, ("--collect-only",)),
    "-k good_layout, warm": (5, ("-n", "auto", "-k", "good_layout")),
    "make known": (15, ("-n", "auto", "--maxprocesses", "4", "--recorded", "--each-finding-once")),
}
"""Name: seconds on two idle cores, arguments of pytest."""
TIMES = 3


@dataclass(frozen=True)
class Timing:
    """Seconds: by the clock, of processor time in all processes, and by the clock for each part."""

    wall: float
    cpu: float
    parts: dict[str, float]


def measure(scale: float) -> Iterator[str]:
    """A first run of each fills the caches and does not count; of the others the least is reported."""
    for name, (goal, arguments) in GOALS.items():
        command = [*arguments, *([] if "--recorded" in arguments else ["--scale", str(scale)])]
        _, *warm = [_once(command) for _ in range(TIMES + 1)]
        least = min(warm, key=lambda timing: timing.wall)
        yield f"{name:<22}{least.wall:6.1f} s of {goal:>3} s   {least.cpu:6.1f} s of processor time"
        for part, seconds in least.parts.items():
            yield f"    until {part:<12}{seconds:6.1f} s"


def _once(arguments: Sequence[str]) -> Timing:
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "parts.json"
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
        wall, _ = run(["-m", "pytest", *QUIET, f"--out={folder}", *arguments], {"AUDIT_PARTS": str(written)})
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        moments = {"start": began} | json.loads(written.read_text(encoding="utf-8"))
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    parts = {name: at - earlier for (_, earlier), (name, at) in pairwise(moments.items())}
    return Timing(wall, cpu, parts | {"its end": began + wall - moments["ended"]})

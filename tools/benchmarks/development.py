"""What a change waits for, with its parts: `make test`, and `.ci/run` with a line for each of its steps."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterator

from lab.stack.project import ROOT

GOALS = {"make test": (600, ["make", "test", "ARGS=--durations=15"]), ".ci/run": (1200, [".ci/run"])}
"""Name: seconds on two idle cores, command."""
PART = re.compile(r"== .*\(\d\d:\d\d:\d\d\)|[\d.]+s (setup|call|teardown) +\S+")


def measure(scale: float) -> Iterator[str]:
    """Takes half an hour. `scale` plays no part; a command that fails is reported as failed."""
    for name, (goal, command) in GOALS.items():
        before, began = os.times(), time.monotonic()
        done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        wall, after = time.monotonic() - began, os.times()
        cpu = after.children_user + after.children_system - before.children_user - before.children_system
        how = "" if done.returncode == 0 else f"   ended with {done.returncode}"
        yield f"{name:<12}{wall:7.0f} s of {goal:>5} s   {cpu:7.0f} s of processor time{how}"
        yield from (f"    {line}" for line in done.stdout.splitlines() if PART.match(line))

"""Keeps values from taking all memory of the machine, whatever a page inflates to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SHARE = 0.75
"""Of the memory that is free when the values are read."""
KIB = 1 << 10


@contextmanager
def bounded(most: int | None = None) -> Iterator[None]:
    """This process takes `most` bytes more (a share of what is free if None), or an allocation fails.

    Arrow then raises ArrowMemoryError. On systems other than Linux nothing is bounded.
    """
    free, taken = _kibibytes("/proc/meminfo", "MemAvailable"), _kibibytes("/proc/self/status", "VmData")
    if free is None or taken is None:
        yield
        return
    import resource  # late: not on every system

    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limit = taken + (int(SHARE * min(free, _left_of_container())) if most is None else most)
    if soft != resource.RLIM_INFINITY:
        limit = min(limit, soft)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def of_machine() -> int | None:
    """Bytes of memory of the machine or its container; None where it is not known."""
    whole = _kibibytes("/proc/meminfo", "MemTotal")
    return None if whole is None else int(min(whole, _left_of_container() + _taken_of_container()))


def _taken_of_container(folder: Path = Path("/sys/fs/cgroup")) -> int:
    try:
        return int((folder / "memory.current").read_text())
    except (OSError, ValueError):
        return 0


def _kibibytes(file: str, name: str) -> int | None:
    try:
        found = re.search(rf"^{name}:\s+(\d+) kB", Path(file).read_text(), re.M)
    except OSError:
        return None
    return int(found[1]) * KIB if found else None


def _left_of_container(folder: Path = Path("/sys/fs/cgroup")) -> float:
    """Bytes that the container may still take; without a limit, infinity."""
    try:
        most, current = ((folder / name).read_text().strip() for name in ("memory.max", "memory.current"))
    except OSError:
        return float("inf")
    return float("inf") if most == "max" else max(0, int(most) - int(current))

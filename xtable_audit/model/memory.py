"""The memory that this process may take, and that of the machine or its container."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SHARE = 0.75
"""Of the memory that is free when the values are read."""
KIB = 1 << 10


@contextmanager
def bounded(most: int | None = None) -> Iterator[None]:
    """As `bound` (a share of what is free if None), until the context ends."""
    more = left() if most is None else most
    before = None if more is None else bound(more)
    try:
        yield
    finally:
        if before is not None:
            import resource

            resource.setrlimit(resource.RLIMIT_DATA, before)


def bound(most: int) -> tuple[int, int] | None:
    """This process takes `most` bytes more, or an allocation fails: Arrow then raises ArrowMemoryError.

    Returns the limits that held before, soft and hard. On systems other than Linux nothing is bounded, and None is
    returned.
    """
    taken = _taken()
    if taken is None:
        return None
    import resource  # late: not on every system

    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limit = taken + most
    if soft != resource.RLIM_INFINITY:
        limit = min(limit, soft)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))
    return soft, hard


def left() -> int | None:
    """Bytes that this process may still take: a share of what is free, and no more than it is bounded to; None where
    that is not known.
    """
    free, taken = _kibibytes("/proc/meminfo", "MemAvailable"), _taken()
    if free is None or taken is None:
        return None
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_DATA)
    most = sys.maxsize if soft == resource.RLIM_INFINITY else max(0, soft - taken)
    return min(most, int(SHARE * min(free, _left_of_container())))


def memory_of_machine() -> int | None:
    """Bytes of memory of the machine or its container; None where it is not known."""
    whole = _kibibytes("/proc/meminfo", "MemTotal")
    return None if whole is None else int(min(whole, _left_of_container() + _taken_of_container()))


def _taken() -> int | None:
    return _kibibytes("/proc/self/status", "VmData")


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

"""Long work, shared out among several workers, with the answers in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def shared_out(work: Callable[[Sequence[T]], list[R]], items: Sequence[T], *, part: int, at_once: int) -> list[R]:
    """What `work` answers for the items, asked for `part` of them at a time in up to `at_once` threads.

    It is asked once where there are none. Raises what `work` raises.
    """
    parts = [items[start : start + part] for start in range(0, len(items), part)] or [items]
    with ThreadPoolExecutor(at_once) as side_by_side:
        return [answer for answers in side_by_side.map(work, parts) for answer in answers]

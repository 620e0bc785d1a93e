"""How Python runs in a process that reads many files by threads."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore

SWITCH = 0.05
"""Seconds after which a thread has to leave Python's lock to another. Those that read files leave it at each call of
Arrow. To be made to after 5 ms, Python's default, slows 64 of them: 325 files a second, by this 354 (docs/measured.md).
"""
OBJECTS = 10_000
"""More objects than at the collector's last look, for it to look again. What is made of a file is freed without it: by
Python's default, 700, its looks took a tenth of the time that 2,000 small files took.
"""


def read_by_threads() -> None:
    """To be called once, when all code is loaded."""
    sys.setswitchinterval(SWITCH)
    gc.freeze()  # code stays to the end: the collector would look through it again and again
    gc.set_threshold(OBJECTS)


TURNS, LONGEST = BoundedSemaphore(2), 0.25
"""How many threads measure what they have read, and seconds that another waits for its turn at most: more threads fight
for Python's lock, and all take longer (docs/measured.md), but a small file may hold very many values.
"""


@contextmanager
def in_turn() -> Iterator[None]:
    """For the measuring of a small file, once its bytes are there."""
    is_held = TURNS.acquire(timeout=LONGEST)
    try:
        yield
    finally:
        if is_held:
            TURNS.release()

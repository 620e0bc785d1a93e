"""A pool of translators that work in parallel, one table each."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from lab.provision.translators import Translators

SIDE_BY_SIDE = max(2, min(4, os.cpu_count() or 1))
"""Tables that are translated at once. Each JVM takes up to 2 GB."""


class Pool:
    """Interchangeable translators, created only as needed. `make` receives how many exist already."""

    def __init__(self, make: Callable[[int], Translators], size: int = SIDE_BY_SIDE) -> None:
        self._make = make
        self.first = make(0)
        """For calls that need no JVM; another thread may be using it."""
        self._every = [self.first]
        self._free = [self.first]
        self._lock = threading.Lock()
        self._room = threading.BoundedSemaphore(size)

    @contextmanager
    def borrow(self) -> Iterator[Translators]:
        """Translators for exclusive use in this context; waits until some are free."""
        with self._room:
            borrowed = self._take()
            try:
                yield borrowed
            finally:
                with self._lock:
                    self._free.append(borrowed)

    def stop(self) -> None:
        """Stops all side by side: a JVM takes half a second to end."""
        with ThreadPoolExecutor() as side_by_side:
            stopped = [side_by_side.submit(one.stop) for one in self._every]
        for one in stopped:
            one.result()

    def _take(self) -> Translators:
        with self._lock:
            if not self._free:
                self._free.append(self._make(len(self._every)))
                self._every += self._free
            return self._free.pop()

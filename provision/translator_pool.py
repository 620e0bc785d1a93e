"""Translators that work side by side, a table each."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from provision.translators import Translators

SIDE_BY_SIDE = 2
"""While one waits for the store the other works; each JVM takes up to 2 GB."""


class Pool:
    """Of equals: more than one is made only where several are wanted at once. `make` is given how many there are."""

    def __init__(self, make: Callable[[int], Translators], size: int = SIDE_BY_SIDE) -> None:
        self._make = make
        self.first = make(0)
        """For what needs no JVM of its own; somebody may be at work with it."""
        self._every = [self.first]
        self._free = [self.first]
        self._lock = threading.Lock()
        self._room = threading.BoundedSemaphore(size)

    @contextmanager
    def one(self) -> Iterator[Translators]:
        """Nobody else's while the context lasts; waits until one is free."""
        with self._room:
            taken = self._take()
            try:
                yield taken
            finally:
                with self._lock:
                    self._free.append(taken)

    def stop(self) -> None:
        for one in self._every:
            one.stop()

    def _take(self) -> Translators:
        with self._lock:
            if not self._free:
                self._free.append(self._make(len(self._every)))
                self._every += self._free
            return self._free.pop()

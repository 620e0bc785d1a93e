"""Builds tables in the background before tests request them."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress

from provision.translator_pool import SIDE_BY_SIDE

SECONDS_TO_STOP = 10


class Ahead:
    """Calls `build`, which must keep its results and exceptions for later callers."""

    def __init__(self, build: Callable[[str], object]) -> None:
        self._build = build
        self._coming: deque[str] = deque()
        self._threads: list[threading.Thread] = []

    def begin(self, ids: Sequence[str]) -> None:
        """Builds these in this order, up to SIDE_BY_SIDE at once; returns at once."""
        self._coming.extend(ids)
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        for _ in ids[: SIDE_BY_SIDE - len(self._threads)]:
            self._threads.append(threading.Thread(target=self._go_on, name="ahead", daemon=True))
            self._threads[-1].start()

    def stop(self) -> None:
        """Starts no further builds; those in progress continue."""
        self._coming.clear()

    def wait(self) -> None:
        """Waits for builds in progress, up to SECONDS_TO_STOP for each thread."""
        for thread in self._threads:
            thread.join(SECONDS_TO_STOP)

    def _go_on(self) -> None:
        with suppress(IndexError):  # none is left
            while True:
                id = self._coming.popleft()
                with suppress(Exception):  # raised again when a test requests it
                    self._build(id)

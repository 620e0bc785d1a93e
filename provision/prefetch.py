"""Builds what will be asked for before it is, while those who will ask are at other work."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress

from provision.translator_pool import SIDE_BY_SIDE

SECONDS_TO_STOP = 10


class Ahead:
    """`build` keeps what it makes, and what it raises, for those who ask."""

    def __init__(self, build: Callable[[str], object]) -> None:
        self._build = build
        self._coming: deque[str] = deque()
        self._threads: list[threading.Thread] = []

    def begin(self, ids: Sequence[str]) -> None:
        """Build these in this order, some side by side; returns at once."""
        self._coming.extend(ids)
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        for _ in ids[: SIDE_BY_SIDE - len(self._threads)]:
            self._threads.append(threading.Thread(target=self._go_on, name="ahead", daemon=True))
            self._threads[-1].start()

    def stop(self) -> None:
        """None is begun after this; one that is under way goes on."""
        self._coming.clear()

    def wait(self) -> None:
        """Until those under way are done, or for some seconds."""
        for thread in self._threads:
            thread.join(SECONDS_TO_STOP)

    def _go_on(self) -> None:
        with suppress(IndexError):  # none is left
            while True:
                id = self._coming.popleft()
                with suppress(Exception):  # raised again by whoever asks for it
                    self._build(id)

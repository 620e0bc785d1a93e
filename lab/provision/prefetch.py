"""Builds tables in the background before tests request them."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress

from lab.provision.translator_pool import SIDE_BY_SIDE

SECONDS_TO_STOP = 10


class Ahead:
    """Calls `build`, which must keep its results and exceptions for later callers.

    What is `in_turn` is built one by one, because only one can be worked on at a time; others beside it.
    """

    def __init__(self, build: Callable[[str], object], in_turn: Callable[[str], bool] = lambda _: False) -> None:
        self._build = build
        self._is_in_turn = in_turn
        self._in_turn: deque[str] = deque()
        self._beside: deque[str] = deque()
        self._threads: list[threading.Thread] = []

    def begin(self, ids: Sequence[str]) -> None:
        """Builds these in this order, up to SIDE_BY_SIDE at once; returns at once."""
        for id in ids:
            (self._in_turn if self._is_in_turn(id) else self._beside).append(id)
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        if self._in_turn and not any(thread.name == "in turn" for thread in self._threads):
            self._start("in turn", self._in_turn, self._beside)
        for _ in list(self._beside)[: SIDE_BY_SIDE - len(self._threads)]:
            self._start("beside", self._beside)

    def stop(self) -> None:
        """Starts no further builds; those in progress continue."""
        self._in_turn.clear()
        self._beside.clear()

    def wait(self) -> None:
        """Waits for builds in progress, up to SECONDS_TO_STOP for each thread."""
        for thread in self._threads:
            thread.join(SECONDS_TO_STOP)

    def _start(self, name: str, *queues: deque[str]) -> None:
        self._threads.append(threading.Thread(target=self._work_off, args=queues, name=name, daemon=True))
        self._threads[-1].start()

    def _work_off(self, *queues: deque[str]) -> None:
        for queue in queues:
            with suppress(IndexError):  # none is left
                while True:
                    id = queue.popleft()
                    with suppress(Exception):  # raised again when a test requests it
                        self._build(id)

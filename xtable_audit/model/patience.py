"""How long a store may take: what it is asked runs in a thread, which is given up when its time is over."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Lock, Thread, local
from typing import Self, TypeVar, cast

T = TypeVar("T")
LEAST, SLACK = 20.0, 60.0
"""Seconds that every request may take, and seconds that all requests of a check may take beyond their own."""
OF_DISK = 600.0
"""Both, for files on this machine, whose reading is computing."""
SLOWEST = 128 << 10
"""Bytes in a second, on average, from which a store is fast enough."""
STRIKES = 4
"""Requests that are given up before nothing more is asked."""
_TIMED = local()
"""`now` is set in a thread that somebody waits for."""


@dataclass
class Patience:
    """Of one check."""

    least: float = LEAST
    slack: float = SLACK
    strikes: int = 0
    _lock: Lock = field(default_factory=Lock, repr=False)

    @classmethod
    def of_disk(cls) -> Self:
        return cls(OF_DISK, OF_DISK)

    def within(self, work: Callable[[], T], size: int = 0) -> T:
        """What `work`, which reads `size` bytes, returns or raises. Raises TimeoutError, and leaves it running.

        Within what is timed already it has no time of its own: who asked for that waits no longer.
        """
        if getattr(_TIMED, "now", False):
            return work()
        if self.strikes >= STRIKES:
            raise TimeoutError(f"not asked for: {STRIKES} requests before were given up as too slow")
        own, began = self.least + size / SLOWEST, time.monotonic()
        try:
            return run(work, own + max(self.slack, 0.0))
        except TimeoutError:
            self.strikes += 1
            raise
        finally:
            with self._lock:
                self.slack -= max(0.0, time.monotonic() - began - own)


def run(work: Callable[[], T], seconds: float) -> T:
    """As `Patience.within`, with this many seconds."""
    results: SimpleQueue[tuple[bool, object]] = SimpleQueue()

    def tell() -> None:
        _TIMED.now = True
        try:
            results.put((True, work()))
        except BaseException as error:  # noqa: BLE001  # raised again by who waits
            results.put((False, error))

    thread = Thread(target=tell, name="asks a store", daemon=True)
    thread.start()
    try:
        succeeded, result = results.get(timeout=seconds)
    except Empty:
        raise TimeoutError(f"no end after {seconds:,.0f} s: the store is too slow, or never ends") from None
    if succeeded:
        return cast(T, result)
    raise cast(BaseException, result)

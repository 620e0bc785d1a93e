"""What a table may cost the judge, in bytes and in time, and why a check may not go on."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from errno import EDQUOT, EMFILE, ENFILE, ENOMEM, ENOSPC
from queue import Empty, SimpleQueue
from threading import Lock, Thread, local
from typing import Self, TypeVar, cast

MIB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """All follow from `metadata`, so that one option raises them together for a table that is legal and huge."""

    metadata: int = 256 * MIB
    """Bytes of one metadata file: metadata.json, a manifest list, a manifest or a file of deletion vectors, inflated.
    Manifests have 8 MiB by default (Iceberg, commit.manifest.target-size-bytes), deflated."""

    @property
    def footer(self) -> int:
        """Bytes of a Parquet footer; decoded, it takes up to 200 times as many."""
        return self.metadata // 16

    @property
    def row_group(self) -> int:
        """Bytes of the columns that are read of a row group, inflated and still encoded: 4 GiB by default. Writers make
        row groups of 128 MiB by default (Iceberg, write.parquet.row-group-size-bytes), before they deflate them."""
        return self.metadata * 16


LIMITS = Limits()


OF_MACHINE = (ENOSPC, EDQUOT, ENOMEM, EMFILE, ENFILE)
"""Numbers of errors that say what this machine lacks."""


class OutOfTime(BaseException):
    """The time of a part of the check is over. No error of a library: `except Exception` must not take it for one."""


def interruption(error: BaseException) -> BaseException | None:
    """The interrupt or the end of time behind an error: a library that is interrupted raises one of its own."""
    return next((one for one in _chain(error) if isinstance(one, KeyboardInterrupt | OutOfTime)), None)


def of_machine(error: BaseException) -> BaseException | None:
    """What this machine lacks, if that is behind an error: memory, disk, handles."""
    return next((one for one in _chain(error) if _lacks(one)), None)


def _lacks(error: BaseException) -> bool:
    return isinstance(error, MemoryError) or getattr(error, "errno", None) in OF_MACHINE


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        yield one
        seen.add(id(one))
        one = one.__cause__ or one.__context__


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


Found = tuple[bool, object]
"""Whether work returned, and what it returned or raised."""
Asked = tuple[Callable[[], object], SimpleQueue[Found]]
_IDLE: list[SimpleQueue[Asked]] = []
"""Where each thread waits for work that has none: to start one for every file takes longer than to read a small one."""
os.register_at_fork(after_in_child=_IDLE.clear)


def run(work: Callable[[], T], seconds: float) -> T:
    """As `Patience.within`, with this many seconds."""
    found: SimpleQueue[Found] = SimpleQueue()
    _idle().put((work, found))
    try:
        succeeded, result = found.get(timeout=seconds)
    except Empty:
        raise TimeoutError(f"no end after {seconds:,.0f} s: the store is too slow, or never ends") from None
    if succeeded:
        return cast(T, result)
    raise cast(BaseException, result)


def _idle() -> SimpleQueue[Asked]:
    """Of a thread that has no work; one that works for somebody who no longer waits has some until that ends."""
    try:
        return _IDLE.pop()
    except IndexError:
        queue: SimpleQueue[Asked] = SimpleQueue()
        Thread(target=_ask, args=(queue,), name="asks a store", daemon=True).start()
        return queue


def _ask(queue: SimpleQueue[Asked]) -> None:
    _TIMED.now = True
    while True:
        _answer(queue, *queue.get())


def _answer(queue: SimpleQueue[Asked], work: Callable[[], object], found: SimpleQueue[Found]) -> None:
    """By itself, so that an idle thread holds nothing of what it worked on; idle before its answer is seen."""
    try:
        result = work()
    except BaseException as error:  # noqa: BLE001  # raised again by who waits
        _IDLE.append(queue)
        found.put((False, error))
    else:
        _IDLE.append(queue)
        found.put((True, result))

"""What a table may cost the judge, in bytes and in time, and why a check may not go on."""

from __future__ import annotations

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

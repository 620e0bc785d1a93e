"""What a table may cost the judge, in time: who waits for a store gives up, and leaves the thread that asks it."""

from __future__ import annotations

import math
import os
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Lock, Thread, local
from typing import Generic, Self, TypeVar, cast

T = TypeVar("T")
Item = TypeVar("Item")
LEAST, SLACK = 20.0, 60.0
"""Seconds that every request may take, and seconds that all requests of a check may take beyond their own."""
OF_DISK = 600.0
"""Both, for files on this machine, whose reading is computing."""
SLOWEST = 128 << 10
"""Bytes in a second, on average, from which a store is fast enough."""
STRIKES = 4
"""Requests that are given up before nothing more is asked."""


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

    @classmethod
    def without_end(cls) -> Self:
        return cls(math.inf, math.inf)

    def within(self, work: Callable[[], T], size: int = 0) -> T:
        """What `work`, which reads `size` bytes, returns or raises. Raises TimeoutError, and leaves it running.

        Within what is timed already it has no time of its own: who asked for that waits no longer. A thread of `each`
        works itself, since that is given up instead.
        """
        watched: _Thread | None = getattr(_HERE, "watched", None)
        if watched is not None and watched.is_timed:
            return work()
        if self.strikes >= STRIKES:
            raise TimeoutError(f"not asked for: {STRIKES} requests before were given up as too slow")
        own, slack, began = self.least + size / SLOWEST, max(self.slack, 0.0), time.monotonic()
        try:
            return run(work, own + slack) if watched is None else watched.timed(work, began, own, slack)
        except TimeoutError:
            self.strikes += watched is None
            raise
        finally:
            if watched is None or not watched.is_given_up:
                self._take(time.monotonic() - began - own)

    def each(
        self,
        work: Callable[[Item], T],
        items: Sequence[Item],
        at_once: int,
        late: Callable[[Item, TimeoutError], T],
    ) -> list[T]:
        """What `work` returns of each item, in their order, by so many threads. Raises the first error in that order,
        and begins no other then.

        What takes longer than `within` allows it is left running, and has what `late` returns or raises. No item is
        handed to a second thread, which takes longer than to read a small file.
        """
        return _Each(self, work, items, late).results(at_once)

    def give_up(self, watched: _Thread) -> TimeoutError:
        self.strikes += 1
        self._take(watched.slack)
        return _too_slow(watched.own + watched.slack)

    def _take(self, seconds: float) -> None:
        with self._lock:
            self.slack -= max(0.0, seconds)


def _too_slow(seconds: float) -> TimeoutError:
    return TimeoutError(f"no end after {seconds:,.0f} s: the store is too slow, or never ends")


@dataclass(eq=False)
class _Thread:
    """A thread that somebody gives up when the time of its work is over."""

    until: float = math.inf
    """Of `time.monotonic`."""
    own: float = 0.0
    slack: float = 0.0
    """Seconds of which there were so many from its beginning."""
    place: int = 0
    """Of the item that it works on."""
    is_given_up: bool = False

    @property
    def is_timed(self) -> bool:
        return self.until < math.inf

    def timed(self, work: Callable[[], T], began: float, own: float, slack: float) -> T:
        self.own, self.slack, self.until = own, slack, began + own + slack
        try:
            return work()
        finally:
            self.until = math.inf


_HERE = local()
"""`watched` is set in a thread that is."""
Found = tuple[bool, object]
"""Whether work returned, and what it returned or raised."""
LOOK = 0.25
"""Seconds between two looks at the threads of `each`."""


class _Each(Generic[Item, T]):
    """One call of `each`."""

    def __init__(
        self,
        patience: Patience,
        work: Callable[[Item], T],
        items: Sequence[Item],
        late: Callable[[Item, TimeoutError], T],
    ) -> None:
        self._patience, self._work, self._items, self._late = patience, work, items, late
        self._left = deque(range(len(items)))
        self._found: dict[int, Found] = {}
        self._ended: SimpleQueue[_Thread] = SimpleQueue()
        self._lock = Lock()

    def results(self, at_once: int) -> list[T]:
        running: set[_Thread] = set()
        try:
            for _ in range(min(at_once, len(self._items))):
                running.add(self._start())
            self._watch(running)
        except BaseException:  # an interrupt waits for what is being read, and for nothing else
            self._left.clear()
            self._watch(running)
            raise
        found, self._found = self._found, {}
        first = min((place for place, (succeeded, _) in found.items() if not succeeded), default=None)
        if first is not None:
            raise cast(BaseException, found.pop(first)[1])
        return [cast(T, found[place][1]) for place in range(len(self._items))]

    def _start(self) -> _Thread:
        """A thread that ends with its work: one that stays keeps memory that no other can use."""
        watched = _Thread()
        Thread(target=self._go_through, args=(watched,), name="reads of a store", daemon=True).start()
        return watched

    def _go_through(self, watched: _Thread) -> None:
        _HERE.watched = watched
        try:
            while self._next(watched):
                found = _outcome(lambda: self._work(self._items[watched.place]))
                with self._lock:
                    if watched.is_given_up:
                        return
                    self._keep(watched.place, found)
        finally:
            self._ended.put(watched)

    def _next(self, watched: _Thread) -> bool:
        try:
            watched.place = self._left.popleft()
        except IndexError:
            return False
        return True

    def _keep(self, place: int, found: Found) -> None:
        self._found[place] = found
        if not found[0]:
            self._left.clear()

    def _watch(self, running: set[_Thread]) -> None:
        while running:
            try:
                running.discard(self._ended.get(timeout=LOOK))
            except Empty:
                late = [one for one in running if self._is_given_up(one)]
                running.difference_update(late)
                running.update(self._start() for _ in late)

    def _is_given_up(self, watched: _Thread) -> bool:
        with self._lock:  # what it has found by now counts
            watched.is_given_up = watched.until < time.monotonic()
            if watched.is_given_up:
                item, error = self._items[watched.place], self._patience.give_up(watched)
                self._keep(watched.place, _outcome(lambda: self._late(item, error)))
            return watched.is_given_up


def _outcome(work: Callable[[], object]) -> Found:
    try:
        return True, work()
    except BaseException as error:  # noqa: BLE001  # raised again by who waits
        return False, error


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
        raise _too_slow(seconds) from None
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
    _HERE.watched = _Thread(until=0.0)  # for as long as what it is asked for takes
    while True:
        _answer(queue, *queue.get())


def _answer(queue: SimpleQueue[Asked], work: Callable[[], object], found: SimpleQueue[Found]) -> None:
    """By itself, so that an idle thread holds nothing of what it worked on; idle before its answer is seen."""
    outcome = _outcome(work)
    _IDLE.append(queue)
    found.put(outcome)

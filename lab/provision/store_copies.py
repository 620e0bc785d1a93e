"""The run's tables in its store: put there once something asks for them, or written there by XTable itself."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from lab.provision.lazy import Once
from lab.store.disk import Disk
from lab.store.objects import add, delete
from lab.store.running import RunningStore
from lab.store.tables import InStore


class StoreCopies:
    """Each table by one thread at a time. The store starts with the first."""

    def __init__(self, disk: Disk, running: Callable[[], RunningStore]) -> None:
        self._disk = disk
        self._store = Once(lambda: running().store)
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

    @property
    def tables(self) -> InStore:
        return InStore(self._store())

    def publish(self, prefixes: Sequence[str]) -> None:
        """Puts what is shown under these keys into the store, where it is not there yet."""
        for prefix in prefixes:
            with self._locks[prefix]:
                add(self._store(), prefix, self._disk.files(prefix))

    @contextmanager
    def emptied(self, prefix: str) -> Iterator[InStore]:
        """The store, without what was under that key."""
        with self._locks[prefix]:
            delete(self._store(), prefix)
            yield self.tables

"""A Trino as a run would have it, for the tests that need a real one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lab.engines.registry import Order, RunningEngine, open_engine
from lab.stack.cache import Cache
from lab.store.running import RunningStore


def order(how: str, store: RunningStore, logs: Path, catalog: str = "jdbc") -> Order:
    return Order(how, lambda: store, logs, Cache(), lambda step: None, {"catalog": catalog})


@contextmanager
def opened(wanted: Order) -> Iterator[RunningEngine]:
    engine = open_engine("trino", wanted)
    try:
        yield engine
    finally:
        engine.stop()

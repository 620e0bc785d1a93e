"""What a reader costs: from nothing to its first answer, one more predicate, and the request log's share of it.

On the recorded good layout. Readers whose engine is not available here are named and left out.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from lab.engines.readers import ADAPTERS, open_reader
from lab.engines.registry import Order, RunningEngine, open_engine
from lab.stack.cache import Cache
from lab.store import moto
from lab.store.running import RunningStore
from lab.store.tables import InStore
from spark_jobs.columns import PICKUP_MONTH
from xtable.replay import Recording, newest_recording
from xtable.target import read_target
from xtable_audit.model.predicate import Compare, Predicate
from xtable_audit.model.problem import Problem
from xtable_audit.readers.observe import observe
from xtable_audit.readers.reader import Reader

MONTHS = tuple(f"2023-{month:02d}" for month in range(1, 13))
ROUNDS = 3


def measure(scale: float) -> Iterator[str]:
    """`scale` is ignored: the table is a recording."""
    del scale
    with moto.start() as running, tempfile.TemporaryDirectory() as logs:
        prefix = Recording.open(newest_recording()).upload("good_layout", running.store)
        target = read_target(running.store.uri(prefix), InStore(running.store))
        assert target is not None
        yield "reader       engine read  to first answer  a predicate  with the request log"
        for name in ADAPTERS:
            try:
                yield _line(name, running, target.metadata_location, Path(logs))
            except Problem as problem:
                yield f"{name:<12} left out: {problem}"


def _line(name: str, running: RunningStore, location: str, logs: Path) -> str:
    guest = running.guest(f"bench-{name}")
    began = time.monotonic()
    engine = _engine(name, running, logs)
    read = time.monotonic() - began
    try:
        reader = open_reader(name, guest.store, engine.handle if engine else None)
        began = time.monotonic()
        observe(reader, None, location, [None], ())
        first = time.monotonic() - began
        predicates = [Compare(PICKUP_MONTH, "=", month) for month in MONTHS]
        bare, watched = _alternating(reader, guest, location, predicates)
    finally:
        if engine:
            engine.stop()
    return f"{name:<12} {read:11.1f} s {first:14.1f} s {1000 * bare:9.0f} ms {watched / bare:19.2f} x"


def _alternating(
    reader: Reader, guest: RunningStore, location: str, predicates: Sequence[Predicate]
) -> tuple[float, float]:
    """Median seconds a predicate, without and with the request log's windows, in turns."""
    seconds: dict[bool, list[float]] = {False: [], True: []}
    for _ in range(ROUNDS):
        for watched, taken in seconds.items():
            began = time.monotonic()
            observe(reader, guest.log if watched else None, location, predicates, ())
            taken.append((time.monotonic() - began) / len(predicates))
    return statistics.median(seconds[False]), statistics.median(seconds[True])


def _engine(name: str, running: RunningStore, logs: Path) -> RunningEngine | None:
    engine = ADAPTERS[name].engine
    if engine is None:
        return None
    order = Order("auto", lambda: running, logs, Cache(), report=lambda _: None)
    return open_engine(engine, order)

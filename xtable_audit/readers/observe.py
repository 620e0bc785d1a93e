"""Runs queries on a reader and records its requests by the store's log."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from xtable_audit.model.malformed import first_line
from xtable_audit.model.predicate import Predicate
from xtable_audit.model.problem import Problem
from xtable_audit.readers.reader import Answer, Observation, Reader, Refusal


class LoggedRequest(Protocol):
    """One request in a store's log, such as `lab.store.log.Request`."""

    @property
    def method(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def status(self) -> int | None:
        """None if the response was still in progress when the log was read."""
        ...


class StoreLog(Protocol):
    """The requests that a store served to one access key, such as `lab.store.log.RequestLog`."""

    def windows(self) -> AbstractContextManager[Callable[[], Sequence[LoggedRequest]]]:
        """Consecutive windows: each call ends the previous one and begins the next.

        A call returns a sequence, which has the window's requests once the context ends.
        """
        ...


def observe(
    reader: Reader,
    log: StoreLog | None,
    metadata_location: str,
    predicates: Sequence[Predicate | None],
    data_keys: Collection[str],
) -> list[Observation]:
    """The reader's answer to each predicate, and which of `data_keys` it fetched bytes of.

    `log` is the log of the reader's access key, read once for all predicates; without it, the read files are unknown
    (None). If the engine raises, `error` has the first line of its message. Only a Problem (the engine itself is gone)
    and the user's interruption propagate.
    """
    try:
        version = reader.version  # waits until the reader is loaded, outside the measured query
    except Refusal as refused:
        unloaded = Observation(reader.name, "unknown", None, frozenset() if log else None, 0.0, first_line(refused))
        return [unloaded] * len(predicates)
    with _windows(log) as cut:
        results = [(cut(), *_query(reader, metadata_location, predicate)) for predicate in predicates]
    return [
        Observation(
            reader=reader.name,
            version=version,
            answer=answer,
            read=None if requests is None else read(requests, data_keys),
            seconds=seconds,
            error=error,
        )
        for requests, answer, error, seconds in results
    ]


def read(requests: Sequence[LoggedRequest], data_keys: Collection[str]) -> frozenset[str]:
    """The data files whose bytes were fetched, by GET requests that succeeded or are still in progress."""
    keys = frozenset(data_keys)
    return frozenset(r.key for r in requests if r.method == "GET" and r.status in (200, 206, None) and r.key in keys)


def _query(
    reader: Reader, metadata_location: str, predicate: Predicate | None
) -> tuple[Answer | None, str | None, float]:
    """Answer, error, seconds."""
    started = time.perf_counter()
    try:
        answer = reader.query(metadata_location, predicate)
    except (KeyboardInterrupt, SystemExit, Problem):
        raise
    except BaseException as refused:  # noqa: BLE001 - a Rust engine's panic is not an Exception
        return None, first_line(refused), time.perf_counter() - started
    return answer, None, time.perf_counter() - started


@contextmanager
def _windows(log: StoreLog | None) -> Iterator[Callable[[], Sequence[LoggedRequest] | None]]:
    if log is None:
        yield lambda: None
    else:
        with log.windows() as cut:
            yield cut

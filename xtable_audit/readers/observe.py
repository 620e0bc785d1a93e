"""Runs queries on a reader and records its requests by the store's log."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from xtable_audit.model.aggregate import Aggregate
from xtable_audit.model.malformed import first_line
from xtable_audit.model.predicate import Predicate
from xtable_audit.model.problem import Problem
from xtable_audit.readers.reader import AggregatingReader, Answer, NotOffered, Observation, Reader, Refusal

T = TypeVar("T")


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


@dataclass(frozen=True)
class AggregateObserved:
    """One reader's answer to one aggregate, and the keys of the data files that it fetched bytes of for the query; None
    if the store keeps no request log.
    """

    value: Any
    """None if it refuses or fails, too."""
    read: frozenset[str] | None
    error: str | None = None
    """The first line of its message if it refuses or fails; "" for a question that its library does not offer."""
    version: str = ""
    """Of the reader."""


def observe_aggregates(
    reader: AggregatingReader,
    log: StoreLog | None,
    metadata_location: str,
    queries: Sequence[Sequence[Aggregate]],
    data_keys: Collection[str],
    shortcut: bool,
) -> dict[Aggregate, AggregateObserved]:
    """As `observe`, of aggregates: with the reader's shortcuts, or with them turned off."""
    try:
        version = reader.version
    except Refusal as refused:
        unloaded = AggregateObserved(None, frozenset() if log else None, first_line(refused), "unknown")
        return {one: unloaded for query in queries for one in query}
    with _windows(log) as cut:
        results = [(query, cut(), *_aggregates(reader, metadata_location, query, shortcut)) for query in queries]
    return {
        one: AggregateObserved(value, None if requests is None else read(requests, data_keys), error, version)
        for query, requests, values, error in results
        for one, value in zip(query, values, strict=True)
    }


def _aggregates(
    reader: AggregatingReader, metadata_location: str, asked: Sequence[Aggregate], shortcut: bool
) -> tuple[Sequence[Any], str | None]:
    """Values, error."""
    try:
        values, error = _unless_refused(lambda: reader.aggregate(metadata_location, asked, shortcut))
    except NotOffered:
        values, error = None, ""
    return [None] * len(asked) if values is None else values, error


def read(requests: Sequence[LoggedRequest], data_keys: Collection[str]) -> frozenset[str]:
    """The data files whose bytes were fetched, by GET requests that succeeded or are still in progress."""
    keys = frozenset(data_keys)
    return frozenset(r.key for r in requests if r.method == "GET" and r.status in (200, 206, None) and r.key in keys)


def _query(
    reader: Reader, metadata_location: str, predicate: Predicate | None
) -> tuple[Answer | None, str | None, float]:
    """Answer, error, seconds."""
    started = time.perf_counter()
    answer, error = _unless_refused(lambda: reader.query(metadata_location, predicate))
    return answer, error, time.perf_counter() - started


def _unless_refused(ask: Callable[[], T]) -> tuple[T | None, str | None]:
    """The answer, or the first line of the engine's message."""
    try:
        return ask(), None
    except (KeyboardInterrupt, SystemExit, Problem, NotOffered):
        raise
    except BaseException as refused:  # noqa: BLE001 - a Rust engine's panic is not an Exception
        return None, first_line(refused)


@contextmanager
def _windows(log: StoreLog | None) -> Iterator[Callable[[], Sequence[LoggedRequest] | None]]:
    if log is None:
        yield lambda: None
    else:
        with log.windows() as cut:
            yield cut

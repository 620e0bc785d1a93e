"""Runs queries on a reader and records its requests by the store's log."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager

from readers.base import Answer, Observation, Reader
from readers.words import Refusal
from stack.problem import Problem
from store.log import Request, RequestLog
from xtable_audit.model.malformed import first_line
from xtable_audit.model.predicate import Predicate


def observe(
    reader: Reader,
    log: RequestLog | None,
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
        asked = [(cut(), *_ask(reader, metadata_location, predicate)) for predicate in predicates]
    return [
        Observation(
            reader=reader.name,
            version=version,
            answer=answer,
            read=None if seen is None else read(seen, data_keys),
            seconds=seconds,
            error=error,
        )
        for seen, answer, error, seconds in asked
    ]


def read(seen: Collection[Request], data_keys: Collection[str]) -> frozenset[str]:
    """The data files whose bytes were fetched, by GET requests that succeeded or are still in progress."""
    wanted = frozenset(data_keys)
    return frozenset(r.key for r in seen if r.method == "GET" and r.status in (200, 206, None) and r.key in wanted)


def _ask(
    reader: Reader, metadata_location: str, predicate: Predicate | None
) -> tuple[Answer | None, str | None, float]:
    """Answer, error, seconds."""
    asked_at = time.perf_counter()
    try:
        answer = reader.ask(metadata_location, predicate)
    except (KeyboardInterrupt, SystemExit, Problem):
        raise
    except BaseException as refused:  # noqa: BLE001 - a Rust engine's panic is not an Exception
        return None, first_line(refused), time.perf_counter() - asked_at
    return answer, None, time.perf_counter() - asked_at


@contextmanager
def _windows(log: RequestLog | None) -> Iterator[Callable[[], list[Request] | None]]:
    if log is None:
        yield lambda: None
    else:
        with log.windows() as cut:
            yield cut

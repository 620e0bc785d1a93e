"""Questions to a reader, with the store's request log open."""

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
    """What the reader answers to each predicate, and which of `data_keys` it fetched bytes of meanwhile.

    `log` is the log of the access key the reader works under, read once for all the predicates; without one, read
    files are unknown (None). An engine that raises yields its own words, first line, as `error`; only a Problem (the
    engine itself is gone) and the user's own interruption pass through.
    """
    try:
        version = reader.version  # known once the reader is loaded, which is not part of the question
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
    """The data files among the requests that fetched bytes: a GET that was answered, or is still being answered."""
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
    except BaseException as refused:  # noqa: BLE001 - a Rust engine's panic is no Exception
        return None, first_line(refused), time.perf_counter() - asked_at
    return answer, None, time.perf_counter() - asked_at


@contextmanager
def _windows(log: RequestLog | None) -> Iterator[Callable[[], list[Request] | None]]:
    if log is None:
        yield lambda: None
    else:
        with log.windows() as cut:
            yield cut

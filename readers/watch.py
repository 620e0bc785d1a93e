"""One question to one reader, with the store's request log open."""

from __future__ import annotations

import time
from collections.abc import Collection
from contextlib import nullcontext

from audit.malformed import first_line
from audit.predicate import Predicate
from readers.base import Answer, Observation, Reader
from readers.words import Refusal
from store.log import Request, RequestLog


def observe(
    reader: Reader,
    log: RequestLog | None,
    metadata_location: str,
    predicate: Predicate | None,
    data_keys: Collection[str],
) -> Observation:
    """What the reader answers, and which of `data_keys` it fetched bytes of meanwhile.

    `log` is the log of the access key the reader works under; without one, opened files are unknown (None). An engine
    that raises yields its own words, first line, as `error`; only the user's own interruption passes through.
    """
    try:
        version = reader.version  # known once the reader is loaded, which is not part of the question
    except Refusal as refused:
        return Observation(reader.name, "unknown", None, None, frozenset() if log else None, 0.0, first_line(refused))
    answer: Answer | None = None
    error: str | None = None
    seen: list[Request] | None
    with log.window() if log else nullcontext() as seen:
        asked_at = time.perf_counter()
        try:
            answer = reader.ask(metadata_location, predicate)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as refused:  # noqa: BLE001 - a Rust engine's panic is no Exception
            error = first_line(refused)
        seconds = time.perf_counter() - asked_at
    return Observation(
        reader=reader.name,
        version=version,
        rows=answer.rows if answer else None,
        planned=answer.planned if answer else None,
        opened=None if seen is None else opened(seen, data_keys),
        seconds=seconds,
        error=error,
    )


def opened(seen: Collection[Request], data_keys: Collection[str]) -> frozenset[str]:
    """The data files among the requests that fetched bytes: a GET that was answered, or is still being answered."""
    wanted = frozenset(data_keys)
    return frozenset(r.key for r in seen if r.method == "GET" and r.status in (200, 206, None) and r.key in wanted)

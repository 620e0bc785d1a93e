"""One window of a request log."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from lab.store.log import Request, RequestLog


@contextmanager
def window(log: RequestLog) -> Iterator[list[Request]]:
    """A list that holds, once the block is left, the requests that were started inside it, in order of arrival."""
    with log.windows() as cut:
        yield cut()

"""Which objects were asked for between two points in time.

A window is cut by two markers: requests for keys that do not exist, made only to be seen in the server's journal. What
started between them and carries the log's own access key belongs to the window. Windows of one access key are
serialised by a lock file, across threads and processes. A server that takes any credential (moto) gives each worker an
access key of its own (`RunningStore.guest`), and then other people's requests are told apart even inside a window.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from filelock import FileLock

from store.journal import JOURNAL_PATH, MARKER, PATIENCE


@dataclass(frozen=True)
class Request:
    """One request to the store. `query` is the raw query string, `range` the header as sent (`bytes=0-7`)."""

    method: str
    key: str
    query: str
    range: str | None
    user_agent: str
    status: int | None
    """None where the answer was still under way when the window ended."""


@dataclass(frozen=True)
class _Cut:
    position: int
    started: int
    entries: list[dict[str, Any]]


@dataclass(frozen=True)
class RequestLog:
    """The request log of one server, as one access key sees it. Plain values only, so that it can go to a process."""

    endpoint: str
    bucket: str
    access_key: str
    journal: str
    """`http://127.0.0.1:port` of the server that keeps the journal."""
    locks: Path
    """Folder of the lock files, next to the server's state."""
    markers: int = 1
    """Markers sent for one cut. MinIO tells of a request only after its last byte is out: a second marker sees the
    first one's round trip through the webhook pass before the window is cut."""

    @contextmanager
    def window(self) -> Iterator[list[Request]]:
        """A list that holds, once the block is left, the requests that were started inside it, in order of arrival."""
        seen: list[Request] = []
        with FileLock(self.locks / f"window-{self.access_key}.lock", poll_interval=0.01):
            begin = self._cut()
            try:
                yield seen
            finally:
                end = self._cut(begin.position)
                seen.extend(self._between(begin, end))

    def _between(self, begin: _Cut, end: _Cut) -> Iterator[Request]:
        names = [field.name for field in fields(Request)]
        for entry in end.entries:
            inside = begin.started <= entry["started"] <= end.started and not entry["key"].startswith(MARKER)
            if inside and entry["bucket"] == self.bucket and entry["access_key"] == self.access_key:
                yield Request(**{name: entry[name] for name in names})

    def _cut(self, since: int | None = None) -> _Cut:
        cuts = [self._marker(since) for _ in range(self.markers)]
        return cuts[-1]

    def _marker(self, since: int | None) -> _Cut:
        key = MARKER + uuid.uuid4().hex
        _http("HEAD", self.endpoint, f"/{self.bucket}/{key}")
        query = {"marker": key} | ({} if since is None else {"since": str(since)})
        status, body = _http("GET", self.journal, f"{JOURNAL_PATH}?{urlencode(query)}")
        if status != 200:
            raise RuntimeError(f"the request log at {self.journal} is out of step: {body.decode()}")
        told = json.loads(body)
        mark = next(entry for entry in told["entries"] if entry["key"] == key)
        return _Cut(told["position"], mark["started"], told["entries"])


def _http(method: str, base: str, target: str) -> tuple[int, bytes]:
    """Unsigned on purpose: a refused request is logged like any other, and carries nobody's access key."""
    connection = HTTPConnection(urlsplit(base).netloc, timeout=2 * PATIENCE)
    try:
        connection.request(method, target)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()

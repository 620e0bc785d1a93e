"""The objects that were requested between two points in time.

Two markers delimit a window: requests for keys that do not exist, made only to appear in the server's journal. Requests
that start between them with the log's own access key belong to the window. A lock file serialises the windows of one
access key across threads and processes. With a server that takes any credential (moto), each worker has its own access
key (`RunningStore.guest`), so requests of other workers do not count even inside a window.
"""

from __future__ import annotations

import json
import uuid
from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from filelock import FileLock

from lab.store.journal import JOURNAL_PATH, MARKER, PATIENCE


@dataclass(frozen=True)
class Request:
    """One request to the store. `query` is the raw query string, `range` the header as sent (`bytes=0-7`)."""

    method: str
    key: str
    query: str
    range: str | None
    user_agent: str
    status: int | None
    """None if the response was still in progress when the window ended."""


@dataclass(frozen=True)
class RequestLog:
    """The request log of one server for one access key. Plain values only, so that other processes can receive it."""

    endpoint: str
    bucket: str
    access_key: str
    journal: str
    """`http://127.0.0.1:port` of the server that keeps the journal."""
    locks: Path
    """Folder of the lock files."""
    markers: int = 1
    """Markers sent per cut. MinIO reports a request only after sending its last byte: with a second marker, the first
    one's report passes through the webhook before the window is cut."""

    @contextmanager
    def windows(self) -> Iterator[Callable[[], list[Request]]]:
        """Consecutive windows: each call ends the previous window and begins the next.

        A call returns a list, which has the window's requests once the context ends. Requests before the first call
        belong to no window.
        """
        lists: list[list[Request]] = []
        marks: list[str] = []

        def cut() -> list[Request]:
            marks.append(self._mark())
            lists.append([])
            return lists[-1]

        with FileLock(self.locks / f"window-{self.access_key}.lock", poll_interval=0.01):
            begin = self._fetch(self._mark(), None)
            try:
                yield cut
            finally:
                end = self._mark()
                self._fill(lists, [*marks, end], self._fetch(end, begin["position"])["entries"])

    def _fill(self, lists: list[list[Request]], marks: list[str], entries: list[dict[str, Any]]) -> None:
        """Assigns this key's requests to the windows by their start time."""
        started = {entry["key"]: entry["started"] for entry in entries}
        cuts = [started[mark] for mark in marks]
        names = [field.name for field in fields(Request)]
        for entry in entries:
            place = bisect_left(cuts, entry["started"]) - 1
            ours = entry["bucket"] == self.bucket and entry["access_key"] == self.access_key
            if 0 <= place < len(lists) and ours and not entry["key"].startswith(MARKER):
                lists[place].append(Request(**{name: entry[name] for name in names}))

    def _mark(self) -> str:
        """Sends the markers and returns the last one's key."""
        for _ in range(self.markers):
            key = MARKER + uuid.uuid4().hex
            _http("HEAD", self.endpoint, f"/{self.bucket}/{key}")
        return key

    def _fetch(self, mark: str, since: int | None) -> dict[str, Any]:
        """The journal from position `since` (else from the marker) to now, once the marker has appeared."""
        query = {"marker": mark} | ({} if since is None else {"since": str(since)})
        status, body = _http("GET", self.journal, f"{JOURNAL_PATH}?{urlencode(query)}")
        if status != 200:
            raise RuntimeError(f"the request log at {self.journal} is out of step: {body.decode()}")
        journal: dict[str, Any] = json.loads(body)
        return journal


def _http(method: str, base: str, target: str) -> tuple[int, bytes]:
    """Sends an unsigned request on purpose: the server logs it even if it refuses it, without an access key."""
    connection = HTTPConnection(urlsplit(base).netloc, timeout=2 * PATIENCE)
    try:
        connection.request(method, target)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()

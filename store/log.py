"""Which objects were asked for between two points in time.

A window is cut by two markers: requests for keys that do not exist, made only to be seen in the server's journal. What
started between them and carries the log's own access key belongs to the window. Windows of one access key are
serialised by a lock file, across threads and processes. A server that takes any credential (moto) gives each worker an
access key of its own (`RunningStore.guest`), and then other people's requests are told apart even inside a window.
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
    def windows(self) -> Iterator[Callable[[], list[Request]]]:
        """Windows one after the other, read in one go: each call ends the one before and begins the next.

        A call returns a list that holds, once the block is left, the requests of its window. What was started before
        the first call belongs to nobody.
        """
        lists: list[list[Request]] = []
        marks: list[str] = []

        def cut() -> list[Request]:
            marks.append(self._mark())
            lists.append([])
            return lists[-1]

        with FileLock(self.locks / f"window-{self.access_key}.lock", poll_interval=0.01):
            begin = self._told(self._mark(), None)
            try:
                yield cut
            finally:
                end = self._mark()
                self._fill(lists, [*marks, end], self._told(end, begin["position"])["entries"])

    def _fill(self, lists: list[list[Request]], marks: list[str], entries: list[dict[str, Any]]) -> None:
        """Deal the requests of this key over the windows by when they were started."""
        started = {entry["key"]: entry["started"] for entry in entries}
        cuts = [started[mark] for mark in marks]
        names = [field.name for field in fields(Request)]
        for entry in entries:
            place = bisect_left(cuts, entry["started"]) - 1
            ours = entry["bucket"] == self.bucket and entry["access_key"] == self.access_key
            if 0 <= place < len(lists) and ours and not entry["key"].startswith(MARKER):
                lists[place].append(Request(**{name: entry[name] for name in names}))

    def _mark(self) -> str:
        """Make a request that is only to be seen in the journal; its key."""
        for _ in range(self.markers):
            key = MARKER + uuid.uuid4().hex
            _http("HEAD", self.endpoint, f"/{self.bucket}/{key}")
        return key

    def _told(self, mark: str, since: int | None) -> dict[str, Any]:
        """The journal from position `since` (else from the marker itself) to the marker and what came meanwhile."""
        query = {"marker": mark} | ({} if since is None else {"since": str(since)})
        status, body = _http("GET", self.journal, f"{JOURNAL_PATH}?{urlencode(query)}")
        if status != 200:
            raise RuntimeError(f"the request log at {self.journal} is out of step: {body.decode()}")
        told: dict[str, Any] = json.loads(body)
        return told


def _http(method: str, base: str, target: str) -> tuple[int, bytes]:
    """Unsigned on purpose: a refused request is logged like any other, and carries nobody's access key."""
    connection = HTTPConnection(urlsplit(base).netloc, timeout=2 * PATIENCE)
    try:
        connection.request(method, target)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()

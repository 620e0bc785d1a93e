"""The requests of a server, kept in its memory and served over HTTP, and those between two points in time."""

from __future__ import annotations

import json
import threading
import time
import uuid
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from filelock import FileLock

from lab.store.objects import unanswered
from xtable_audit.model.problem import Problem

Entry = dict[str, Any]
"""method, bucket, key, query, range, user_agent, access_key, status (None while under way), started (ns since 1970)."""

WsgiApp = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

JOURNAL_PATH = "/_requests"  # no bucket can have this name
MARKER = ".window-"
"""Key prefix of a marker, a request that is made only to appear in the journal."""
LONGEST = 200_000
"""Maximum number of entries; beyond it the journal drops the older half."""
PATIENCE = 30.0
"""Seconds to wait for a marker to appear."""


class Journal:
    """An append-only list of requests. Positions count from the first entry ever, including dropped ones."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._dropped = 0
        self._markers: dict[str, int] = {}
        self._grown = threading.Condition()

    def add(self, entry: Entry) -> None:
        with self._grown:
            if len(self._entries) >= LONGEST:
                del self._entries[: LONGEST // 2]
                self._dropped += LONGEST // 2
            if entry["key"].startswith(MARKER):
                self._markers[entry["key"]] = self._dropped + len(self._entries)
                self._grown.notify_all()
            self._entries.append(entry)

    def until(self, marker: str, since: int | None) -> tuple[int, list[Entry]]:
        """Waits for the marker. Returns its position and the entries from `since` (else from the marker) to now.

        Raises TimeoutError if the marker does not appear, IndexError if entries since `since` have been dropped.
        """
        with self._grown:
            if not self._grown.wait_for(lambda: marker in self._markers, PATIENCE):
                raise TimeoutError(f"{marker} is not in the request log after {PATIENCE:.0f} s")
            position = self._markers.pop(marker)
            first = (position if since is None else since) - self._dropped
            if first < 0:
                raise IndexError(f"the request log holds no more than {LONGEST} requests, and the window began earlier")
            return position, self._entries[first:]

    def answer(self, query: str) -> tuple[str, bytes]:
        """The HTTP status line and JSON body for `?marker=KEY[&since=POSITION]`."""
        parameters = parse_qs(query)
        since = int(parameters["since"][0]) if "since" in parameters else None
        try:
            position, entries = self.until(parameters["marker"][0], since)
        except (TimeoutError, IndexError) as lost:
            return "504 Gateway Timeout", str(lost).encode()
        return "200 OK", json.dumps({"position": position, "entries": entries}).encode()


def journalled(app: WsgiApp, journal: Journal) -> WsgiApp:
    """`app` with every request recorded in `journal` on arrival, and the journal served at `JOURNAL_PATH`."""

    def serve(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"] == JOURNAL_PATH:
            status, body = journal.answer(environ.get("QUERY_STRING", ""))
            start_response(status, [("Content-Type", "application/json"), ("Content-Length", str(len(body)))])
            return [body]
        entry = _entry(environ)
        journal.add(entry)

        def with_status(status: str, *rest: Any) -> Any:
            entry["status"] = int(status.split(" ", 1)[0])
            return start_response(status, *rest)

        return app(environ, with_status)

    return serve


def _entry(environ: dict[str, Any]) -> Entry:
    path = environ["PATH_INFO"].encode("latin-1").decode("utf-8", "replace")  # WSGI passes UTF-8 as Latin-1
    bucket, _, key = path.lstrip("/").partition("/")
    return {
        "method": environ["REQUEST_METHOD"],
        "bucket": bucket,
        "key": key,
        "query": environ.get("QUERY_STRING", ""),
        "range": environ.get("HTTP_RANGE"),
        "user_agent": environ.get("HTTP_USER_AGENT", ""),
        "access_key": access_key_of(environ.get("HTTP_AUTHORIZATION", "")),
        "status": None,
        "started": time.time_ns(),
    }


def access_key_of(authorization: str) -> str | None:
    """The access key's id in an AWS Signature 4 header: `… Credential=ID/date/region/s3/aws4_request, …`."""
    _, found, scope = authorization.partition("Credential=")
    return scope.split("/", 1)[0] if found else None


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
            raise Problem(f"The store at {self.endpoint} does not log its requests: {body.decode()}. Run again.")
        journal: dict[str, Any] = json.loads(body)
        return journal


def _http(method: str, base: str, target: str) -> tuple[int, bytes]:
    """Sends an unsigned request on purpose: the server logs it even if it refuses it, without an access key.

    Raises Problem if the server no longer answers: its container, say, was killed.
    """
    connection = HTTPConnection(urlsplit(base).netloc, timeout=2 * PATIENCE)
    try:
        connection.request(method, target)
        with connection.getresponse() as response:
            return response.status, response.read()
    except (OSError, HTTPException) as error:
        raise unanswered(base, error) from error
    finally:
        connection.close()

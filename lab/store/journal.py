"""The journal of a server's requests, kept in the server's memory and served over HTTP.

A WSGI layer around moto, or the receiver of MinIO's audit webhook, writes it. Other threads and processes read it over
HTTP (`JOURNAL_PATH`). The only headers it keeps are `Range`, `User-Agent` and the access key's id from `Authorization`.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import parse_qs

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

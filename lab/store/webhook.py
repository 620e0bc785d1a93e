"""Receives MinIO's audit webhook on 127.0.0.1 and records its requests in a journal.

Each document is one request (`api`, `userAgent`, `requestHeader`, `requestQuery`, `accessKey`, `time`). It contains the
full `Authorization` header, which the journal never stores.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from lab.store.journal import JOURNAL_PATH, Entry, Journal


class QuietHandler(WSGIRequestHandler):
    def log_request(self, code: Any = "-", size: Any = "-") -> None:
        """Logs nothing: the journal is the log."""


def serve(journal: Journal) -> BaseWSGIServer:
    """A server on a free port of 127.0.0.1, in a thread of this process. `POST /` takes audit documents."""

    def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"] == JOURNAL_PATH:
            status, body = journal.answer(environ.get("QUERY_STRING", ""))
        else:
            length = int(environ.get("CONTENT_LENGTH") or 0)
            for entry in entries(environ["wsgi.input"].read(length)):
                journal.add(entry)
            status, body = "200 OK", b""
        start_response(status, [("Content-Length", str(len(body)))])
        return [body]

    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=QuietHandler)
    threading.Thread(target=server.serve_forever, name="minio-audit", daemon=True).start()
    return server


def entries(body: bytes) -> Iterator[Entry]:
    """Journal entries of the S3 requests in one delivery: JSON documents, one per line."""
    for line in body.decode("utf-8").splitlines():
        if line.strip():
            document = json.loads(line)
            if document.get("api", {}).get("bucket"):
                yield _entry(document)


def _entry(document: dict[str, Any]) -> Entry:
    api = document["api"]
    headers = {name.lower(): value for name, value in document.get("requestHeader", {}).items()}
    ended = datetime.fromisoformat(document["time"])  # drops digits below a microsecond
    return {
        "method": _method(api["name"]),
        "bucket": api["bucket"],
        "key": api.get("object", ""),
        "query": urlencode(document.get("requestQuery", {})),
        "range": headers.get("range"),
        "user_agent": document.get("userAgent", ""),
        "access_key": document.get("accessKey") or None,
        "status": api.get("statusCode"),
        "started": int(ended.timestamp() * 1e6) * 1000 - int(api.get("timeToResponseInNS", 0)),
    }


def _method(name: str) -> str:
    """The HTTP method by the S3 API's name, since audit documents have only the name: `GetObject` -> `GET`."""
    verbs = {"Get": "GET", "List": "GET", "Head": "HEAD", "Put": "PUT", "Delete": "DELETE", "Copy": "PUT"}
    return next((method for verb, method in verbs.items() if name.startswith(verb)), "POST")

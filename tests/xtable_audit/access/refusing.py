"""An S3 that may only be read: it passes on GET and HEAD, and refuses and notes every other request."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

READING = ("GET", "HEAD")
DENIED = b"<?xml version='1.0'?><Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"


@dataclass
class Refusing:
    """`writes` are the requests that were refused, as `METHOD path`; `keys` the access keys of all requests."""

    endpoint: str
    writes: list[str] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    reads: int = 0


@contextmanager
def refusing(upstream: str) -> Iterator[Refusing]:
    """In front of the S3 at `upstream`, which must not check signatures."""
    host = urlsplit(upstream).netloc

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            key = re.search(r"Credential=([^/]+)/", self.headers.get("Authorization", ""))
            seen.keys.add(key[1] if key else "")
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if self.command not in READING:
                seen.writes.append(f"{self.command} {self.path}")
                self._answer(403, {"Content-Type": "application/xml"}, DENIED)
                return
            seen.reads += 1
            upstream = HTTPConnection(host, timeout=20)
            upstream.request(self.command, self.path, body or None, dict(self.headers.items()))
            answer = upstream.getresponse()
            self._answer(answer.status, dict(answer.getheaders()), answer.read())
            upstream.close()

        def _answer(self, status: int, headers: dict[str, str], content: bytes) -> None:
            self.send_response(status)
            for name, value in headers.items():
                if name.lower() not in ("connection", "transfer-encoding", "content-length", "date", "server"):
                    self.send_header(name, value)
            length = headers.get("Content-Length", headers.get("content-length")) if self.command == "HEAD" else None
            self.send_header("Content-Length", length or str(len(content)))
            self.end_headers()
            self.wfile.write(b"" if self.command == "HEAD" else content)

        do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _serve

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing on the terminal."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    seen = Refusing(f"http://127.0.0.1:{server.server_address[1]}")
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

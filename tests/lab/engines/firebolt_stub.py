"""A server that speaks Firebolt Core's HTTP as documented, for our client alone: no evidence about Firebolt."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Reply:
    body: str
    status: int = 200
    kind: str = "application/json"


@dataclass(frozen=True)
class Request:
    sql: str
    settings: dict[str, str]
    headers: dict[str, str]


def table(columns: dict[str, str], *rows: list[Any]) -> Reply:
    """A result in JSON_Compact: name -> type, and rows."""
    meta = [{"name": name, "type": kind} for name, kind in columns.items()]
    answer = {"query": {"query_id": "q", "request_id": "r", "query_label": None}, "meta": meta, "data": list(rows)}
    return Reply(json.dumps(answer | {"rows": len(rows), "statistics": {"elapsed": 0.001}}))


def refused(description: str, status: int = 400) -> Reply:
    return Reply(
        json.dumps({"errors": [{"description": description}], "query": {}, "statistics": {"elapsed": 0}}), status
    )


NOT_READY = Reply("Cluster not yet healthy", 503, "text/plain")


@dataclass
class Stub:
    """`replies` by the beginning of a statement; the longest that fits answers. `paths` by the path of a request."""

    url: str = ""
    replies: dict[str, Reply] = field(default_factory=dict)
    paths: dict[str, Reply] = field(default_factory=lambda: {"/ping": Reply("Ok.", kind="text/plain")})
    requests: list[Request] = field(default_factory=list)

    def reply(self, sql: str) -> Reply:
        fitting = [start for start in self.replies if sql.lower().startswith(start.lower())]
        return self.replies[max(fitting, key=len)] if fitting else refused(f"the stub has no answer to {sql}")

    @property
    def statements(self) -> list[str]:
        return [one.sql for one in self.requests]


def healthy() -> dict[str, Reply]:
    return {
        "SELECT 1": table({"?column?": "int"}, [1]),
        "SELECT version()": table({"version": "text"}, ["5.0.0-stub"]),
        "CLEAR EXTERNAL DATA CACHE": Reply(""),
    }


@contextmanager
def running() -> Iterator[Stub]:
    """The stub on a free port of 127.0.0.1."""
    stub = Stub(replies=healthy())
    connections: list[socket.socket] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            super().setup()
            connections.append(self.connection)

        def do_POST(self) -> None:
            sql = self.rfile.read(int(self.headers["Content-Length"])).decode()
            at = urlsplit(self.path)
            settings = {name: values[-1] for name, values in parse_qs(at.query).items()}
            if at.path in stub.paths:
                self._send(stub.paths[at.path])
                return
            stub.requests.append(Request(sql, settings, dict(self.headers)))
            self._send(stub.reply(sql))

        def do_GET(self) -> None:
            self._send(stub.paths.get(urlsplit(self.path).path, Reply("", 404)))

        def _send(self, reply: Reply) -> None:
            body = reply.body.encode()
            self.send_response(reply.status)
            self.send_header("Content-Type", reply.kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    stub.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield stub
    finally:
        server.shutdown()
        server.server_close()
        for connection in connections:
            with suppress(OSError):  # the client was first
                connection.shutdown(socket.SHUT_RDWR)

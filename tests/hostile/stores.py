"""Stores that answer as no store should, on this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SHUT_RDWR
from threading import Event, Thread
from typing import Any
from urllib.parse import urlsplit

Answer = Callable[[BaseHTTPRequestHandler], None]


@dataclass
class Served:
    endpoint: str
    seen: list[str] = field(default_factory=list)
    """`METHOD path` of every request."""


@contextmanager
def serving(answer: Answer) -> Iterator[Served]:
    """A server on a free port that answers every GET and HEAD so."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            served.seen.append(f"{self.command} {self.path}")
            with suppress(OSError):  # the client may give up
                answer(self)

        do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _serve

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing on the terminal."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.over = Event()  # type: ignore[attr-defined]
    server.daemon_threads, server.block_on_close = True, False
    served = Served(f"http://127.0.0.1:{server.server_address[1]}")
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield served
    finally:
        server.over.set()  # type: ignore[attr-defined]
        server.shutdown()
        server.server_close()
        thread.join()


def with_content(content: bytes) -> Answer:
    def answer(to: BaseHTTPRequestHandler) -> None:
        _begin(to, 200, {"Content-Length": str(len(content))})
        to.wfile.write(content)

    return answer


def redirecting(status: int, to_address: str) -> Answer:
    return lambda to: _begin(to, status, {"Location": to_address, "Content-Length": "0"})


def silent(to: BaseHTTPRequestHandler) -> None:
    _over(to).wait(60)
    to.close_connection = True


def a_byte_a_second(to: BaseHTTPRequestHandler) -> None:
    _begin(to, 200, {"Content-Length": "1000", "Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT"})
    if to.command != "HEAD":
        _trickle(to)


def without_end(to: BaseHTTPRequestHandler) -> None:
    length = {"Content-Length": "1000"} if to.command == "HEAD" else {"Transfer-Encoding": "chunked"}
    _begin(to, 200, length | {"Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT"})
    while to.command != "HEAD":
        to.wfile.write(b"1\r\n \r\n")
        if _over(to).wait(0.01):
            to.close_connection = True
            return


def trickling_data(upstream: str) -> Answer:
    """The S3 at `upstream`, which must not check signatures, but for its Parquet files."""

    def answer(to: BaseHTTPRequestHandler) -> None:
        with closing(HTTPConnection(urlsplit(upstream).netloc, timeout=20)) as store:
            store.request(to.command, to.path, None, dict(to.headers.items()))
            told = store.getresponse()
            content = told.read()
        kept = ("content-length", "content-range", "last-modified", "etag", "content-type")
        _begin(to, told.status, {name: value for name, value in told.getheaders() if name.lower() in kept})
        if to.command == "HEAD":
            return
        if urlsplit(to.path).path.endswith(".parquet"):
            _trickle(to)
        to.wfile.write(content)

    return answer


@dataclass
class Faulty:
    """The S3 at `upstream`, which must not check signatures, with a fault in its answers for files that end so.

    `times` is how many of these answers have it. `seen` counts them.
    """

    upstream: str
    fault: str
    ends: str = ".parquet"
    times: float = float("inf")
    seen: int = 0

    def __call__(self, to: BaseHTTPRequestHandler) -> None:
        with closing(HTTPConnection(urlsplit(self.upstream).netloc, timeout=20)) as store:
            store.request(to.command, to.path, None, dict(to.headers.items()))
            told = store.getresponse()
            content = told.read()
        kept = ("content-length", "content-range", "last-modified", "etag", "content-type")
        headers = {name.lower(): value for name, value in told.getheaders() if name.lower() in kept}
        mine = urlsplit(to.path).path.endswith(self.ends) and told.status in (200, 206)
        if mine and (to.command == "HEAD") == (self.fault == "a HEAD that lies"):
            self.seen += 1
            if self.seen <= self.times:
                self._spoilt(to, told.status, headers, content)
                return
        _begin(to, told.status, headers)
        if to.command != "HEAD":
            to.wfile.write(content)

    def _spoilt(self, to: BaseHTTPRequestHandler, status: int, headers: dict[str, str], content: bytes) -> None:
        match self.fault:
            case "503":
                _begin(to, 503, {"content-length": "0"})
            case "cut":
                _begin(to, status, headers)
                to.wfile.write(content[: len(content) // 2])
                to.wfile.flush()
                to.close_connection = True
                to.connection.shutdown(SHUT_RDWR)
            case "another byte":
                place = len(content) // 4 + self.seen % 7  # in a page: a small file is answered whole
                _begin(to, status, headers)
                to.wfile.write(content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :])
            case "half a range":
                half = content[: len(content) // 2]
                begin, _, rest = headers.get("content-range", f"bytes 0-0/{len(content)}").partition("-")
                whole = rest.partition("/")[2]
                first = int(begin.removeprefix("bytes "))
                more = {
                    "content-length": str(len(half)),
                    "content-range": f"bytes {first}-{first + len(half) - 1}/{whole}",
                }
                _begin(to, 206, headers | more)
                to.wfile.write(half)
            case "a HEAD that lies":
                _begin(to, status, headers | {"content-length": str(int(headers["content-length"]) + 100)})


FAULTS = ("503", "cut", "another byte", "half a range", "a HEAD that lies")


def _trickle(to: BaseHTTPRequestHandler) -> None:
    while not _over(to).wait(1):
        to.wfile.write(b" ")
        to.wfile.flush()
    to.close_connection = True


def _over(to: BaseHTTPRequestHandler) -> Event:
    """Set when the test is."""
    over: Event = to.server.over  # type: ignore[attr-defined]
    return over


def _begin(to: BaseHTTPRequestHandler, status: int, headers: dict[str, str]) -> None:
    to.send_response(status)
    for name, value in headers.items():
        to.send_header(name, value)
    to.end_headers()

"""Endpoints that a catalog hands out, and a proxy in front of one, by which Arrow's S3 client reaches no other host."""

from __future__ import annotations

import re
import socket
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from http.client import HTTPConnection, HTTPException, HTTPResponse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from threading import Lock, Thread
from typing import Any
from urllib.parse import SplitResult, urlsplit

from cachetools import LRUCache

from xtable_audit.model.problem import Problem

NAMES = (
    *("s3.endpoint", "s3.proxy-uri", "gcs.service.host", "gcs.endpoint", "adls.account-host"),
    *("adls.blob-storage-authority", "adls.dfs-storage-authority"),
)
"""The properties of a PyIceberg FileIO that name a host."""


def demand_endpoints(properties: Mapping[str, str]) -> None:
    """Raises Problem if a property names a host with a link-local address, such as 169.254.169.254."""
    for name in NAMES:
        if (address := properties.get(name)) and _is_link_local(_host(address)):
            raise Problem(
                f"the catalog hands out {name} {address}, a link-local address, which is never asked for files"
            )


BEARERS = {
    "gcs.service.host": ("gcs.oauth2.token",),
    "gcs.endpoint": ("gcs.oauth2.token",),
    "adls.account-host": ("adls.account-key", "adls.sas-token", "adls.token"),
    "adls.blob-storage-authority": ("adls.account-key", "adls.sas-token", "adls.token"),
    "adls.dfs-storage-authority": ("adls.account-key", "adls.sas-token", "adls.token"),
}
"""Hosts to which a client sends a token as it is, and the properties that hold another credential. S3 and its proxies
get signatures alone."""


def handed_out(properties: Mapping[str, str], own: Mapping[str, str]) -> tuple[str, ...]:
    """A sentence for each host that the catalog names and the user's own configuration of it does not.

    Raises Problem for one that would get a token of the user's own.
    """
    hosts = {name: properties[name] for name in NAMES if properties.get(name) and properties[name] != own.get(name)}
    for name, address in hosts.items():
        if name in BEARERS and not any(properties.get(one) and one not in own for one in BEARERS[name]):
            raise Problem(
                f"the catalog hands out {name} {address} without a credential for it, and yours is not sent there: "
                f"if you trust it, configure {name} yourself"
            )
    return tuple(
        f"the catalog has files read from {address} ({name}), which you did not configure"
        for name, address in hosts.items()
    )


def _host(address: str) -> str:
    return urlsplit(address if "://" in address else f"//{address}").hostname or ""


def _is_link_local(host: str) -> bool:
    try:
        found = socket.getaddrinfo(host, None)
    except OSError:
        return False  # it answers nobody
    return any(ip_address(str(one[4][0]).partition("%")[0]).is_link_local for one in found)


CHUNK = 1 << 20
PATIENCE = 60.0
"""Seconds without a byte."""
REMEMBERED = 1 << 16
"""Objects whose sizes are compared with those of later answers."""
RANGE, SENT = re.compile(r"bytes=(\d+)-(\d*)"), re.compile(r"bytes (\d+)-(\d+)/(\d+)")
OF_ONE_CONNECTION = ("connection", "proxy-connection", "keep-alive", "transfer-encoding", "te", "upgrade")


class EndpointRelay(ThreadingHTTPServer):
    """Reaches the host and port of `endpoint` alone, and no link-local address, whatever its name resolves to.

    Ends with the process.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self, endpoint: str) -> None:
        self.allowed = _place(urlsplit(endpoint))
        super().__init__(("127.0.0.1", 0), _Connection)
        self._sizes: LRUCache[str, int] = LRUCache(REMEMBERED)
        self._lock = Lock()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        Thread(target=self.serve_forever, name="relay to a store", daemon=True).start()

    def connect(self) -> socket.socket:
        """Raises OSError."""
        host, port = self.allowed
        for *_, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
            if ip_address(str(address[0]).partition("%")[0]).is_link_local:
                raise PermissionError(f"{host} is at a link-local address, which is never asked for files")
        return socket.create_connection((host, port), PATIENCE)

    def lie(self, path: str, method: str, asked: str | None, answer: HTTPResponse) -> str:
        """How an answer contradicts the question, or an earlier answer about the same object; "" if it does not.

        Such bytes would accuse the table: objects of a table never change.
        """
        size = _whole_size(method, answer)
        if size is None:
            return ""
        with self._lock:
            known = self._sizes.setdefault(path, size)
        if known != size:
            return f"the store says that an object has {known} bytes, and {size} another time"
        wanted, sent = RANGE.fullmatch(asked or ""), SENT.fullmatch(answer.getheader("Content-Range") or "")
        if wanted and sent and int(sent[2]) < min(int(wanted[2] or size), size - 1):
            return f"the store sends the bytes {sent[1]} to {sent[2]}, and was asked for {asked}"
        return ""

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that breaks is the client's to report."""


def _whole_size(method: str, answer: HTTPResponse) -> int | None:
    """Bytes of the whole object, as far as the answer says so."""
    sent = SENT.fullmatch(answer.getheader("Content-Range") or "")
    if sent is not None:
        return int(sent[3])
    if answer.status != 200 or method not in ("HEAD", "GET"):
        return None
    length = answer.getheader("Content-Length") or ""
    return int(length) if length.isdigit() else None


@cache
def relay_to(endpoint: str) -> str:
    """The URL of the relay to this endpoint."""
    return EndpointRelay(endpoint).url


def _place(url: SplitResult) -> tuple[str, int]:
    return (url.hostname or "").lower(), url.port or (443 if url.scheme == "https" else 80)


class _Connection(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: EndpointRelay
    _begun = False
    """Whether some of the answer is sent, after which nothing else may follow it."""

    def do_CONNECT(self) -> None:
        if _place(urlsplit(f"https://{self.path}")) != self.server.allowed:
            self._refuse()
            return
        with self.server.connect() as store:
            self.send_response(200)
            self.end_headers()
            answers = Thread(target=_pour, args=(store, self.connection), daemon=True)
            answers.start()
            _pour(self.connection, store)
            answers.join()
        self.close_connection = True

    def do_GET(self) -> None:
        asked = urlsplit(self.path)
        if asked.scheme != "http" or _place(asked) != self.server.allowed:
            self._refuse()
            return
        store, self._begun = HTTPConnection(*self.server.allowed, timeout=PATIENCE), False
        try:
            store.sock = self.server.connect()
            headers = {name: value for name, value in self.headers.items() if name.lower() not in OF_ONE_CONNECTION}
            store.putrequest(self.command, asked._replace(scheme="", netloc="").geturl(), True, True)
            for name, value in headers.items():
                store.putheader(name, value)
            store.endheaders()
            self._answer(store)
        except (OSError, HTTPException) as error:
            self.close_connection = True
            with suppress(OSError):
                if not self._begun:
                    self.send_error(502, str(error)[:200].encode("ascii", "replace").decode())
        finally:
            store.close()

    do_HEAD = do_GET

    def _answer(self, store: HTTPConnection) -> None:
        with store.getresponse() as answer:
            if "?" not in self.path and (
                lie := self.server.lie(self.path, self.command, self.headers["Range"], answer)
            ):
                raise HTTPException(lie)
            self._begun = True
            self.send_response_only(answer.status, answer.reason)
            for name, value in answer.getheaders():
                if name.lower() not in OF_ONE_CONNECTION:
                    self.send_header(name, value)
            if self.command != "HEAD" and answer.length is None:
                self.close_connection = True
                self.send_header("Connection", "close")
            self.end_headers()
            while self.command != "HEAD" and (part := answer.read1(CHUNK)):
                self.wfile.write(part)
            if self.command != "HEAD" and answer.length:
                self.close_connection = True  # cut short: the client must not wait for the rest

    def _refuse(self) -> None:
        self.close_connection = True
        self.send_error(403, "another host than the endpoint of the store")

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing on the terminal."""


def _pour(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(CHUNK):
            sink.sendall(data)
    with suppress(OSError):
        sink.shutdown(socket.SHUT_WR)

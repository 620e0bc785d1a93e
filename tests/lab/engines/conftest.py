"""A Docker that is not there but takes requests: its HTTP API as far as starting one container goes. It can fail.

It is no evidence about Docker. It shows what our code sends, and that each failure becomes its sentence. Shapes: Docker
Engine API 1.44.
"""

from __future__ import annotations

import io
import json
import struct
import tarfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from testcontainers.core.config import testcontainers_config

from tests.xtable_audit.readers.conftest import healthy_tables, moto_store, tables

__all__ = ["healthy_tables", "moto_store", "tables"]

RYUK = "testcontainers/ryuk"


class DockerStub:
    """`created` are the bodies of create requests by image, `files` what was copied in, `removed` whose are gone."""

    def __init__(self) -> None:
        self.images: set[str] = set()
        self.created: dict[str, dict[str, Any]] = {}
        self.files: dict[str, bytes] = {}
        self.removed: list[str] = []
        self.pull_error = ""
        self.start_error = ""
        self.log = b""
        self.exits = False
        self.desktop = False
        self.gateway, self.subnet = "127.0.0.2", "127.0.0.0/8"
        self.reaper_port = 0
        self.ended = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        self.address = f"tcp://127.0.0.1:{self._http.server_port}"
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    def end(self) -> None:
        """The container ends by itself."""
        self.exits = True
        self.ended.set()

    def go_away(self) -> None:
        """The daemon is gone. May be called twice."""
        self.ended.set()
        if self._thread.is_alive():
            self._http.shutdown()
            self._thread.join()
            self._http.server_close()

    def state(self, image: str) -> dict[str, Any]:
        over = self.exits and not image.startswith(RYUK)
        return {"Status": "exited" if over else "running", "ExitCode": 3 if over else 0}

    def answer(self, method: str, path: str, query: dict[str, str], body: bytes) -> tuple[int, Any]:
        """Status and JSON value of an answer; the log of a container and the pull of an image stream elsewhere."""
        match method, path.strip("/").split("/"):
            case "GET", ["version"]:
                return 200, {"ApiVersion": "1.44", "MinAPIVersion": "1.24", "Version": "25.0"}
            case "GET", ["info"]:
                return 200, {"OperatingSystem": "Docker Desktop" if self.desktop else "Debian GNU/Linux 12"}
            case "GET", ["networks", "bridge"]:
                config = {"Subnet": self.subnet, "Gateway": self.gateway}
                return 200, {"Id": "b", "Name": "bridge", "IPAM": {"Config": [config]}}
            case "GET", ["images", *name, "json"]:
                image = "/".join(name)
                return (200, {"Id": image}) if image in self.images else (404, {"message": f"No such image: {image}"})
            case "POST", ["containers", "create"]:
                wanted = json.loads(body)
                self.created[wanted["Image"]] = wanted
                return 201, {"Id": wanted["Image"].replace("/", "_"), "Warnings": []}
            case "POST", ["containers", _, "start"]:
                return (500, {"message": self.start_error}) if self.start_error else (204, None)
            case "PUT", ["containers", _, "archive"]:
                with tarfile.open(fileobj=io.BytesIO(body)) as archive:
                    for member in archive:
                        self.files[member.name] = archive.extractfile(member).read()  # type: ignore[union-attr]
                return 200, None
            case "GET", ["containers", name, "json"]:
                image = name.replace("_", "/")
                ports = {"8080/tcp": [{"HostIp": "0.0.0.0", "HostPort": str(self.reaper_port)}]}
                return 200, {
                    "Id": name,
                    "Name": f"/{name}",
                    "Config": {"Tty": False},
                    "State": self.state(image),
                    "NetworkSettings": {"Ports": ports},
                }
            case "DELETE", ["containers", name]:
                self.removed.append(name.replace("_", "/"))
                self.ended.set()
                return 204, None
        return 404, {"message": f"the stub has no {method} {path} {query}"}

    def pull(self, image: str) -> list[dict[str, Any]]:
        if self.pull_error:
            return [{"status": f"Pulling {image}"}, {"error": self.pull_error, "errorDetail": {}}]
        self.images.add(image)
        layers = {"a": 30_000_000, "b": 10_000_000}
        return [
            {"id": name, "status": "Downloading", "progressDetail": {"current": size // 2, "total": size}}
            for name, size in layers.items()
        ]


def _handler(stub: DockerStub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _handle(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            url = urlsplit(self.path)
            path = unquote(url.path).removeprefix("/v1.44")
            query = {name: values[0] for name, values in parse_qs(url.query).items()}
            if path.endswith("/logs"):
                return self._log()
            if path == "/_ping":
                return self._send(200, b"OK")
            if path == "/images/create":
                separator = "@" if query["tag"].startswith("sha256:") else ":"
                return self._stream(stub.pull(f"{query['fromImage']}{separator}{query['tag']}"))
            status, value = stub.answer(self.command, path, query, body)
            return self._send(status, b"" if value is None else json.dumps(value).encode())

        do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = _handle

        def _log(self) -> None:
            """One frame of the multiplexed stream, which ends with the container."""
            self._head(200)
            self.wfile.write(struct.pack(">BxxxL", 1, len(stub.log)) + stub.log)
            stub.ended.wait(30)

        def _stream(self, lines: list[dict[str, Any]]) -> None:
            self._head(200, "Transfer-Encoding", "chunked")
            for line in lines:
                piece = json.dumps(line).encode() + b"\r\n"
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.write(b"0\r\n\r\n")

        def _send(self, status: int, body: bytes) -> None:
            self._head(status, "Content-Length", str(len(body)))
            self.wfile.write(body)

        def _head(self, status: int, *header: str) -> None:
            """A connection a request, so that none outlives the daemon."""
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Connection", "close")
            if header:
                self.send_header(*header)
            self.end_headers()

        def log_message(self, format: str, *arguments: object) -> None:
            """Says nothing."""

    return Handler


@pytest.fixture
def docker(monkeypatch: pytest.MonkeyPatch) -> Iterator[DockerStub]:
    """The Docker that this process talks to. `some/engine:7.1` is here already; there is no reaper."""
    stub = DockerStub()
    stub.images.add("some/engine:7.1")
    monkeypatch.setenv("DOCKER_HOST", stub.address)
    monkeypatch.setattr(testcontainers_config, "_ryuk_disabled", True)
    yield stub
    stub.go_away()

"""How a container on Docker's bridge reaches a store that listens on 127.0.0.1 of this machine.

Docker Desktop resolves the name `host.docker.internal`. Linux needs a relay: a listener on the bridge's own address on
this machine that passes each connection on to the store.
"""

from __future__ import annotations

import ipaddress
import socket
import socketserver
from collections.abc import Callable
from contextlib import closing, suppress
from threading import Thread
from urllib.parse import urlsplit

from lab.servers.image import reason_of
from xtable_audit.access.s3 import S3
from xtable_audit.model.problem import Problem

_CHUNK = 1 << 16


def _nothing() -> None:
    """No relay was needed."""


def reachable_from_container(store: S3) -> tuple[str, Callable[[], None]]:
    """The store's endpoint as seen from a container on Docker's bridge, and the function that ends the relay.

    A store that is not on loopback keeps its endpoint. Raises Problem if Docker or its bridge does not answer.
    """
    endpoint = urlsplit(store.endpoint or f"https://s3.{store.region}.amazonaws.com")
    host, port = endpoint.hostname or "", endpoint.port or (443 if endpoint.scheme == "https" else 80)
    if not _is_loopback(host):
        return endpoint.geturl(), _nothing
    if bridge := _bridge():
        relay = StoreRelay((host, port), *bridge)
        return f"{endpoint.scheme}://{relay.host}:{relay.port}", relay.stop
    return f"{endpoint.scheme}://host.docker.internal:{port}", _nothing


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _bridge() -> tuple[str, str] | None:
    """Address on this machine and subnet of Docker's bridge; None with Docker Desktop, whose bridge is in its VM."""
    import docker
    from docker.errors import DockerException

    try:
        with closing(docker.from_env(timeout=20)) as daemon:
            if daemon.info()["OperatingSystem"] == "Docker Desktop":
                return None
            network = daemon.networks.get("bridge").attrs["IPAM"]["Config"][0]
            return network["Gateway"], network["Subnet"]
    except (DockerException, OSError, LookupError) as error:
        raise Problem(
            f"Docker does not report the address of its bridge ({reason_of(error)}). "
            "`docker network inspect bridge` must work here."
        ) from error


class StoreRelay(socketserver.ThreadingTCPServer):
    """Passes TCP connections on to `store`, (host, port), from a free port of `address`, for peers in `subnet` only."""

    daemon_threads = True
    block_on_close = False  # a kept-alive connection ends with the engine or the store, whichever goes first

    def __init__(self, store: tuple[str, int], address: str, subnet: str) -> None:
        self.store = store
        self._peers = ipaddress.ip_network(subnet)
        try:
            super().__init__((address, 0), _RelayedConnection)
        except OSError as error:
            raise Problem(
                f"The address {address} of Docker's bridge is not on this machine ({error.strerror}): is Docker "
                "rootless, or elsewhere? Choose a store that its containers can reach: --s3 URL."
            ) from error
        self.host, self.port = address, int(self.server_address[1])
        Thread(target=self.serve_forever, name="relay to the store", kwargs={"poll_interval": 0.1}, daemon=True).start()

    def verify_request(self, request: object, client_address: tuple[str, int]) -> bool:
        return ipaddress.ip_address(client_address[0]) in self._peers

    def stop(self) -> None:
        """Closes the listener. May be called twice."""
        self.shutdown()
        self.server_close()


class _RelayedConnection(socketserver.BaseRequestHandler):
    """One connection: both directions, until each side has closed its own or the connection breaks."""

    request: socket.socket
    server: StoreRelay

    def handle(self) -> None:
        with suppress(OSError), socket.create_connection(self.server.store) as store:
            answers = Thread(target=_pour, args=(store, self.request), daemon=True)
            answers.start()
            _pour(self.request, store)
            answers.join()


def _pour(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(_CHUNK):
            sink.sendall(data)
    with suppress(OSError):
        sink.shutdown(socket.SHUT_WR)

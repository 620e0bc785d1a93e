from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import urlsplit

import pytest

from lab.engines.relay import StoreRelay, reachable_from_container
from lab.store import moto, objects
from lab.store.address import Workspace
from lab.store.running import RunningStore
from tests.lab.engines.conftest import DockerStub
from xtable_audit.model.problem import Problem


@pytest.fixture(scope="module")
def running() -> Iterator[RunningStore]:
    with moto.start() as store:
        yield store


def reached(endpoint: str) -> bool:
    """Whether anybody answers an HTTP request there."""
    address = urlsplit(endpoint)
    assert address.hostname
    assert address.port
    try:
        with socket.create_connection((address.hostname, address.port), timeout=5) as connection:
            connection.sendall(b"GET / HTTP/1.0\r\n\r\n")
            return connection.recv(4) == b"HTTP"
    except OSError:
        return False


def test_a_store_on_loopback_is_reached_by_the_bridges_address(docker: DockerStub, running: RunningStore) -> None:
    endpoint, stop = reachable_from_container(running.store)
    content = b"x" * 3_000_000
    objects.write(replace(running.store, endpoint=endpoint), "relayed", content)
    read = objects.read(replace(running.store, endpoint=endpoint), "relayed")
    stop()
    assert urlsplit(endpoint).hostname == docker.gateway
    assert read == content == objects.read(running.store, "relayed")


def test_a_stopped_relay_takes_no_more_connections(docker: DockerStub, running: RunningStore) -> None:
    endpoint, stop = reachable_from_container(running.store)
    before = reached(endpoint)
    stop()
    stop()
    assert (before, reached(endpoint)) == (True, False)


def test_with_docker_desktop_the_store_has_a_name_of_its_own(docker: DockerStub, running: RunningStore) -> None:
    docker.desktop = True
    endpoint, stop = reachable_from_container(running.store)
    stop()
    assert endpoint == f"http://host.docker.internal:{urlsplit(running.store.endpoint).port!s}"


@pytest.mark.parametrize("endpoint", ["http://10.1.2.3:9000", "https://s3.example.invalid"])
def test_a_store_elsewhere_is_reached_as_it_is(docker: DockerStub, endpoint: str) -> None:
    docker.go_away()
    assert reachable_from_container(Workspace(endpoint, "a", "b"))[0] == endpoint


def test_peers_that_are_not_on_the_bridge_get_nothing(running: RunningStore) -> None:
    address = urlsplit(running.store.endpoint)
    relay = StoreRelay((str(address.hostname), int(str(address.port))), "127.0.0.2", "10.0.0.0/8")
    answered = reached(f"http://127.0.0.2:{relay.port}")
    relay.stop()
    assert not answered


def test_a_store_that_is_gone_closes_the_connection() -> None:
    relay = StoreRelay(("127.0.0.1", 9), "127.0.0.2", "127.0.0.0/8")
    answered = reached(f"http://127.0.0.2:{relay.port}")
    relay.stop()
    assert not answered


def test_a_bridge_that_is_not_on_this_machine_is_one_sentence(docker: DockerStub, running: RunningStore) -> None:
    docker.gateway = "192.0.2.1"
    with pytest.raises(Problem, match=r"The address 192\.0\.2\.1 of Docker's bridge is not on this machine"):
        reachable_from_container(running.store)


def test_a_docker_that_is_gone_is_one_sentence(docker: DockerStub, running: RunningStore) -> None:
    docker.go_away()
    with pytest.raises(Problem, match="Docker does not report the address of its bridge"):
        reachable_from_container(running.store)

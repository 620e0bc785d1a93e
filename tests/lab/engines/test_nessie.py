from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from lab.engines import nessie
from lab.engines.nessie import NessieServer
from lab.engines.registry import Order, RunningEngine, open_engine
from lab.stack.cache import Cache
from lab.store.running import RunningStore
from tests.lab.engines.conftest import DockerStub
from xtable_audit.model.problem import Problem

IMAGE = "ghcr.io/projectnessie/nessie:0.99.0"


def no_store() -> RunningStore:
    raise AssertionError("Nessie needs no store")


@pytest.fixture
def order(tmp_path: Path) -> Order:
    return Order("auto", no_store, tmp_path, Cache(tmp_path / "cache"), lambda words: None)


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningEngine]:
    """A real Nessie. 245 MB are downloaded the first time on a machine."""
    order = Order("process", no_store, tmp_path_factory.mktemp("nessie"), Cache(), lambda words: None)
    try:
        engine = open_engine("nessie", order)
    except Problem as problem:
        if "downloaded" in str(problem) or "is not there" in str(problem):
            pytest.skip(str(problem))
        raise
    yield engine
    engine.stop()


@pytest.mark.slow
@pytest.mark.jvm
def test_a_process_answers_and_is_found_by_its_url(process: RunningEngine, order: Order) -> None:
    again = open_engine("nessie", replace(order, how=process.handle.uri.removesuffix("/api/v2") + "/"))
    assert again.handle == NessieServer(process.handle.uri, "API 2.2.0")


@pytest.mark.slow
@pytest.mark.jvm
def test_a_process_listens_on_one_address_only(process: RunningEngine) -> None:
    port = urlsplit(process.handle.uri).port
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", int(str(port)))) == 0
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.2", int(str(port)))) != 0


@pytest.mark.slow
@pytest.mark.jvm
def test_a_stopped_process_is_gone(process: RunningEngine) -> None:
    process.stop()
    process.stop()
    assert nessie._answers(process.handle.uri) is None


@pytest.fixture
def opened(docker: DockerStub, order: Order, monkeypatch: pytest.MonkeyPatch) -> tuple[RunningEngine, DockerStub]:
    """The engine opened where Docker answers, and that Docker."""
    docker.images.add(IMAGE)
    monkeypatch.setattr(nessie, "_answers", lambda uri: {})
    engine = open_engine("nessie", order)
    engine.stop()
    return engine, docker


def test_a_container_listens_on_loopback(opened: tuple[RunningEngine, DockerStub]) -> None:
    engine, docker = opened
    environment = dict(entry.split("=", 1) for entry in docker.created[IMAGE]["Env"])
    assert environment.pop("QUARKUS_MANAGEMENT_PORT").isdigit()
    assert environment == {
        "QUARKUS_HTTP_HOST": "127.0.0.1",
        "QUARKUS_HTTP_PORT": str(urlsplit(engine.handle.uri).port),
        "QUARKUS_MANAGEMENT_HOST": "127.0.0.1",
        "QUARKUS_OTEL_SDK_DISABLED": "true",
        "NESSIE_VERSION_STORE_TYPE": "IN_MEMORY",
    }


def test_where_docker_answers_auto_is_a_container(opened: tuple[RunningEngine, DockerStub]) -> None:
    assert opened[0].detail.startswith("Nessie 0.99.0, a container at http://127.0.0.1:")
    assert opened[1].removed == [IMAGE]


@pytest.mark.parametrize(
    ("how", "message"),
    [("podman", "--nessie podman: use auto, container, process"), ("http://127.0.0.1:9", "No Nessie")],
)
def test_what_is_not_available_is_one_sentence(order: Order, how: str, message: str) -> None:
    with pytest.raises(Problem, match=message):
        open_engine("nessie", replace(order, how=how))

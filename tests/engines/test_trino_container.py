"""Trino as a container: the requests to Docker and the messages where they fail. A stub answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lab.engines.order import Order, RunningEngine
from lab.engines.trino.open import open_engine
from lab.stack.cache import Cache
from lab.stack.versions import trino
from lab.store.running import RunningStore
from tests.engines.docker_stub import DockerStub
from xtable_audit.model.problem import Problem

IMAGE = trino().image


@pytest.fixture
def start(tmp_path: Path) -> Callable[[str], RunningEngine]:
    def no_store() -> RunningStore:
        raise AssertionError("no store is needed to start a Trino")

    def open_as(how: str) -> RunningEngine:
        return open_engine(
            Order(how, no_store, tmp_path, Cache(tmp_path / "cache"), lambda step: None, {"catalog": "file"})
        )

    return open_as


@pytest.mark.parametrize("how", ["auto", "container"])
def test_where_docker_answers_the_image_is_pulled_and_its_absence_reported(
    docker: DockerStub, start: Callable[[str], RunningEngine], how: str
) -> None:
    docker.pull_error = "manifest unknown"
    with pytest.raises(Problem, match=rf"The image {IMAGE} cannot be pulled \(manifest unknown\)"):
        start(how)


def test_a_container_that_ends_gives_its_reason_and_is_removed(
    docker: DockerStub, start: Callable[[str], RunningEngine]
) -> None:
    docker.log = b"1) Configuration property 'x' was not used\n"
    docker.end()
    with pytest.raises(Problem, match="Trino did not start: Configuration property 'x' was not used"):
        start("container")
    assert docker.removed == [IMAGE]


def test_a_container_is_on_the_hosts_network_with_its_configuration_in_place(
    docker: DockerStub, start: Callable[[str], RunningEngine]
) -> None:
    docker.end()
    with pytest.raises(Problem, match="Trino did not start"):
        start("container")
    assert docker.created[IMAGE]["HostConfig"]["NetworkMode"] == "host"
    assert b"node.bind-ip=127.0.0.1" in b"".join(docker.files.values())

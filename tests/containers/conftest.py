"""The tests' own Docker engine, one for the session, and the stand-ins of images in it."""

from __future__ import annotations

import os
from collections.abc import Iterator

import docker
import pytest

from lab.stack.cache import Cache
from tests.containers.engine import client, engine, left, why_not
from tests.containers.stand_ins import have
from xtable_audit.model.problem import Problem


@pytest.fixture(scope="session")
def docker_host() -> Iterator[str]:
    """Its address. Skips where no engine may be started or is installed."""
    if reason := why_not():
        pytest.skip(f"no Docker engine: {reason}")
    with engine(Cache()) as address:
        yield address


@pytest.fixture(scope="session")
def daemon(docker_host: str) -> Iterator[docker.DockerClient]:
    with client(docker_host) as connected:
        yield connected


@pytest.fixture
def images(daemon: docker.DockerClient, request: pytest.FixtureRequest) -> None:
    """The stand-ins that the test's mark `images` names. Skips where one cannot be made."""
    for name in request.node.get_closest_marker("images").args:
        try:
            have(daemon, name, Cache())
        except Problem as problem:
            pytest.skip(f"no stand-in of {name}: {problem}")


@pytest.fixture
def environment(docker_host: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What a process needs to use the engine; this one has it, too."""
    own = {"DOCKER_HOST": docker_host, "RYUK_RECONNECTION_TIMEOUT": "1s"}
    for name, value in own.items():
        monkeypatch.setenv(name, value)
    return os.environ | own


@pytest.fixture(autouse=True)
def nothing_is_left(daemon: docker.DockerClient) -> Iterator[None]:
    """After each test."""
    yield
    assert left(daemon) == []

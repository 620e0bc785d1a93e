"""A Docker that is not there but takes requests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from testcontainers.core.config import testcontainers_config

from tests.engines.docker_stub import DockerStub


@pytest.fixture
def docker(monkeypatch: pytest.MonkeyPatch) -> Iterator[DockerStub]:
    """The Docker that this process talks to. `some/engine:7.1` is here already; there is no reaper."""
    stub = DockerStub()
    stub.images.add("some/engine:7.1")
    monkeypatch.setenv("DOCKER_HOST", stub.address)
    monkeypatch.setattr(testcontainers_config, "_ryuk_disabled", True)
    yield stub
    stub.go_away()

"""moto for everybody; MinIO where its binary or Docker is here."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from lab.servers.docker import docker_answers
from lab.store import minio, moto
from lab.store.running import RunningStore
from tests.emulators.programs import program


@pytest.fixture(scope="session")
def moto_store() -> Iterator[RunningStore]:
    with moto.start() as running:
        yield running


@pytest.fixture(scope="session")
def minio_store() -> Iterator[RunningStore]:
    if not docker_answers():
        os.environ["PATH"] += os.pathsep + os.path.dirname(program("minio"))
    with minio.start() as running:
        yield running


@pytest.fixture(params=["moto", "minio"])
def running(request: pytest.FixtureRequest) -> RunningStore:
    """Each store that keeps a request log."""
    store: RunningStore = request.getfixturevalue(f"{request.param}_store")
    return store

"""A table that a test makes hostile."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.store import moto
from lab.store.running import RunningStore
from tests.hostile.table import Hostile
from tests.orders import orders

__all__ = ["orders"]


@pytest.fixture
def hostile(orders: tuple[str, Path]) -> Hostile:
    return Hostile(Path(orders[0].removeprefix("file://")), orders[1])


@pytest.fixture(scope="session")
def moto_store() -> Iterator[RunningStore]:
    with moto.start() as running:
        yield running

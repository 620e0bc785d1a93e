"""A table that a test makes hostile."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hostile.table import Hostile
from tests.orders import orders
from tests.store.conftest import moto_store

__all__ = ["moto_store", "orders"]


@pytest.fixture
def hostile(orders: tuple[str, Path]) -> Hostile:
    return Hostile(Path(orders[0].removeprefix("file://")), orders[1])

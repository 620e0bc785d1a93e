"""A plugin of pytest: of all tests those that an entry of the register holds to its words (`saw`)."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from fixtures.known import ENTRY


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Generator[None, None, None]:
    yield  # then entries are put in force
    held = {item for item in items if ENTRY in item.stash and item.stash[ENTRY][1].saw}
    config.hook.pytest_deselected(items=[item for item in items if item not in held])
    items[:] = [item for item in items if item in held]

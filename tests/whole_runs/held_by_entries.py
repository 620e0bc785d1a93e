"""A plugin of pytest: of the tests that an entry of the register holds to its words (`saw`), those that show most.

For each words of an entry and each claim that is the one on the table where most files have the finding: which of them
is named first depends on their order. With EVERY_TABLE in the environment it is every such test.
"""

from __future__ import annotations

import os
from collections.abc import Generator

import pytest

from fixtures.known_findings import ENTRY, EXTENT
from xtable_audit.pytest_plugin.holding import claim_of


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Generator[None, None, None]:
    yield  # then entries are put in force
    held = [item for item in items if ENTRY in item.stash and item.stash[ENTRY][1].saw]
    if "EVERY_TABLE" not in os.environ:
        most: dict[tuple[str, str, str], pytest.Item] = {}
        for item in sorted(held, key=files, reverse=True):
            entry, where = item.stash[ENTRY]
            most.setdefault((entry.id, str(where.saw), claim_of(item).id), item)
        held = [*most.values()]
    kept = {*held}
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]


def files(item: pytest.Item) -> int:
    """In how many files the finding is, as it is registered."""
    extent = item.stash.get(EXTENT, None)
    return extent.files if extent else 0

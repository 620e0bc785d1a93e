"""The browser of the tests of pages: they skip where none is installed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tools.pages.screenshots import Browser, opened
from xtable_audit.model.problem import Problem


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    try:
        with opened() as started:
            yield started
    except Problem as problem:
        pytest.skip(str(problem))

"""Python packages that tests have pip install, and that are not served everywhere."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from lab.stack.cache import Cache
from lab.stack.packages import installed
from xtable_audit.model.problem import Problem


def skip_unless_served(name: str, packages: Sequence[str]) -> None:
    """Skips the test where pip does not install them, and says why."""
    try:
        installed(name, packages, Cache())
    except Problem as problem:
        pytest.skip(str(problem))

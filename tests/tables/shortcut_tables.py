"""The healthy tables of `python -m tools shortcuts`, each written once for all tests that ask for it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from lab.store.running import RunningStore
from tools.shortcuts.questions import HealthyTable, written


class HealthyTables:
    def __init__(self, running: RunningStore, folder: Path) -> None:
        self.of: Callable[[str], HealthyTable] = cache(lambda format: written(format, running.store, folder))

"""What every engine is opened with, and what comes back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from stack.cache import Cache
from store.running import RunningStore


def elsewhere() -> None:
    """An engine that somebody else started, or that is no process, is not ours to stop."""


@dataclass(frozen=True)
class Order:
    """How an engine is to be had. Nothing here is started yet: `running` opens the store when it is called."""

    how: str
    """As the user's option says: `auto`, `container`, `process`, a URL."""
    running: Callable[[], RunningStore]
    """The run's store. An engine that needs none to start leaves it alone: its tables come later."""
    logs: Path
    """Folder for the engine's log file."""
    cache: Cache
    tell: Callable[[str], None]
    """Shows the user, in a few words, what is being done just now (`downloading …, 12 of 540 MB`)."""
    options: Mapping[str, str] = field(default_factory=dict)
    """More of the user's options for this engine: `catalog` (`jdbc` or `file`) for Trino."""


@dataclass(frozen=True)
class RunningEngine:
    """An engine that can be used now."""

    handle: Any
    """What a reader in another process needs to use it: a frozen dataclass of plain values, pickled on its way."""
    detail: str
    """For the progress line: `Trino 476, a process at http://127.0.0.1:18080`."""
    version: str
    stop: Callable[[], None] = field(default=elsewhere, repr=False, compare=False)
    """Ends what was started; may be called twice."""


class Opener(Protocol):
    def __call__(self, order: Order) -> RunningEngine:
        """Raises `stack.problem.Problem`, one sentence that says what to do, where the engine cannot be had."""
        ...

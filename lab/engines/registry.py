"""The engines by name, what opens one, and what opening returns. One that no reader needs is not even imported."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

from lab.stack.cache import Cache
from lab.store.running import RunningStore


def elsewhere() -> None:
    """Does nothing: an engine that somebody else started, or that is no process, is not ours to stop."""


@dataclass(frozen=True)
class Order:
    """How to open an engine. Nothing here is started yet: `running` opens the store when it is called."""

    how: str
    """The user's option: `auto`, `container`, `process`, a URL."""
    running: Callable[[], RunningStore]
    """The run's store. Engines that start without a store do not call it."""
    logs: Path
    """Folder for the engine's log file."""
    cache: Cache
    report: Callable[[str], None]
    """Shows the user the current step in a few words (`downloading …, 12 of 540 MB`)."""
    options: Mapping[str, str] = field(default_factory=dict)
    """More of the user's options for this engine: `catalog` (`jdbc` or `file`) for Trino."""


@dataclass(frozen=True)
class RunningEngine:
    """An engine that is ready."""

    handle: Any
    """What a reader in another process needs to use it: a frozen dataclass of plain values, pickled on its way."""
    detail: str
    """For the progress line: `Trino 476, a process at http://127.0.0.1:18080`."""
    version: str
    stop: Callable[[], None] = field(default=elsewhere, repr=False, compare=False)
    """Ends what was started; may be called twice."""


class Opener(Protocol):
    def __call__(self, order: Order) -> RunningEngine:
        """Raises Problem, one sentence that says what to do, if the engine is not available."""
        ...


ENGINES: Mapping[str, str] = MappingProxyType(
    {
        "spark": "lab.engines.spark.open",
        "spark_delta": "lab.engines.spark.open:open_with_delta",
        "trino": "lab.engines.trino.open",
        "firebolt": "lab.engines.firebolt.open",
        "nessie": "lab.engines.nessie",
    }
)
"""Name -> the module, and the function that opens it if not `open_engine(order)`; `expected_version(how)` gives its
version before that."""


def open_engine(name: str, order: Order) -> RunningEngine:
    """Raises Problem if the engine is not available."""
    module, _, function = ENGINES[name].partition(":")
    opener: Opener = getattr(import_module(module), function or "open_engine")
    return opener(order)


def expected_version(name: str, how: str) -> str | None:
    """The version the engine will have, before it is opened; None if only the engine itself can report it."""
    version: str | None = import_module(ENGINES[name].partition(":")[0]).expected_version(how)
    return version

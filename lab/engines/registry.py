"""The engines by name. An engine that no reader needs is neither imported nor started."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType

from lab.engines.order import Opener, Order, RunningEngine

ENGINES: Mapping[str, str] = MappingProxyType(
    {
        "spark": "lab.engines.spark.open",
        "spark_delta": "lab.engines.spark.open_delta",
        "trino": "lab.engines.trino.open",
        "firebolt": "lab.engines.firebolt.open",
        "nessie": "lab.engines.nessie",
    }
)
"""Name -> the module: `open_engine(order)` opens it, `expected_version(how)` gives its version before that."""


def open_engine(name: str, order: Order) -> RunningEngine:
    """Raises Problem if the engine is not available."""
    opener: Opener = import_module(ENGINES[name]).open_engine
    return opener(order)


def expected_version(name: str, how: str) -> str | None:
    """The version the engine will have, before it is opened; None if only the engine itself can report it."""
    version: str | None = import_module(ENGINES[name]).expected_version(how)
    return version

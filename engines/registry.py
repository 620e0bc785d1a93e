"""The engines by name. One that no reader asks for is neither imported nor started."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType

from engines.order import Opener, Order, RunningEngine

ENGINES: Mapping[str, str] = MappingProxyType(
    {
        "spark": "engines.spark",
        "trino": "engines.trino.open",
        "firebolt": "engines.firebolt.open",
        "nessie": "engines.nessie",
    }
)
"""Name -> the module whose `open_engine(order)` opens it and whose `expected_version(how)` knows it beforehand."""


def open_engine(name: str, order: Order) -> RunningEngine:
    """Raises Problem where the engine cannot be had."""
    opener: Opener = import_module(ENGINES[name]).open_engine
    return opener(order)


def expected_version(name: str, how: str) -> str | None:
    """The version the engine will have, known before it is opened; None where only the engine itself can tell."""
    version: str | None = import_module(ENGINES[name]).expected_version(how)
    return version

"""Claims that only Iceberg's metadata can break."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

OF_ANY_FORMAT = ("bounds", "counts", "layout", "partition")
"""Modules that were here, which test modules of users import from here."""


def __getattr__(name: str) -> ModuleType:
    if name in OF_ANY_FORMAT:
        return import_module(f"xtable_audit.claims.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

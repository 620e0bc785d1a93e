"""Which code measures data files: what is kept of a file, or measured elsewhere, holds for the same code alone."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources

import pyarrow as pa

PACKAGES = ("xtable_audit.values", "xtable_audit.metadata")
"""The packages whose code decides what is measured: values, and the transforms that are measured value by value."""


@cache
def kernel() -> str:
    """A digest of the code that measures files, and of Arrow's version."""
    files = (file for package in PACKAGES for file in resources.files(package).iterdir())
    sources = sorted(files, key=lambda one: one.name)
    return digest(pa.__version__, *(one.read_text(encoding="utf-8") for one in sources if one.name.endswith(".py")))


def digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:32]

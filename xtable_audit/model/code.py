"""Digests of code and text: what is kept of a computation holds for the same code alone."""

from __future__ import annotations

import hashlib
import os
import sys
from functools import cache
from importlib import resources


def digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:32]


@cache
def code_of(*packages: str) -> str:
    """A digest of the source of these packages."""
    files = (file for package in packages for file in resources.files(package).iterdir())
    sources = sorted(files, key=lambda one: one.name)
    return digest(*(one.read_text(encoding="utf-8") for one in sources if one.name.endswith(".py")))


@cache
def installed() -> str:
    """A digest of the names and versions of all that is installed beside this code, and of Python's version."""
    folders = {path for path in sys.path if os.path.isdir(path)}
    return digest(sys.version, *sorted(name for path in folders for name in os.listdir(path) if _is_a_package(name)))


def _is_a_package(name: str) -> bool:
    return name.endswith((".dist-info", ".egg-info"))

"""A picture of the page: a drawing, which is imported when it is first drawn, and the numbers that it shows."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from importlib.util import LazyLoader, find_spec, module_from_spec
from types import ModuleType
from typing import Any


def late(name: str) -> ModuleType:
    """The module, which runs on the first use of an attribute. Raises ModuleNotFoundError if there is none."""
    if name in sys.modules:
        return sys.modules[name]
    spec = find_spec(name)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    spec.loader = LazyLoader(spec.loader)
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MARKS = 200
"""Maximum marks of a drawing."""


@dataclass(frozen=True)
class Key:
    """One entry of a legend: a class of page.css, and what it stands for."""

    kind: str
    words: str


@dataclass(frozen=True)
class Picture:
    id: str
    title: str
    words: str
    """What it shows and how to read it, in one or two sentences."""
    svg: str
    head: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    """The numbers, a row a mark or a few of them."""
    keys: tuple[Key, ...] = field(default=())
    about: str = ""
    """What tells it from another of the same title, for a screen reader; empty if none can have it."""

    @property
    def name(self) -> str:
        return f"{self.title}: {self.about}" if self.about else self.title

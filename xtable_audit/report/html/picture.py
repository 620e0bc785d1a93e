"""A picture of the page: a drawing, and the numbers that it shows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

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

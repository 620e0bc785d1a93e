"""How much of a column's metrics the table asks its writers to store."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MetricsMode:
    """What is stored of a column: `counts`, and `bounds` of at most `length` characters or bytes (None: as always)."""

    counts: bool
    bounds: bool
    because: str
    """The property that asks for it."""
    length: int | None = None
    by_number: bool = False
    """Whether it is so because the table has that many columns. XTable takes what its source has, however many."""

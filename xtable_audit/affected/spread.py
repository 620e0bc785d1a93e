"""A sample of files that is the same each time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def spread(files: Sequence[T], most: int) -> tuple[T, ...]:
    """All of them, or `most` of them at equal distances, the first and the last among them."""
    if len(files) <= most:
        return tuple(files)
    if most < 2:
        return tuple(files[-most:]) if most else ()
    return tuple(files[round(place * (len(files) - 1) / (most - 1))] for place in range(most))

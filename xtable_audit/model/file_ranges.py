"""The range of one column in each of a table's files, as the metadata says it and as the values are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xtable_audit.model.figures import Count
from xtable_audit.model.printable import make_printable

FILES = 40
"""Maximum files of which ranges are kept."""
Axis = Literal["number", "time", "order"]
"""What a place on the axis is: the number itself, seconds since 1970 in UTC, or a rank among the values kept."""


@dataclass(frozen=True)
class Range:
    """The smallest and the largest value. A side that is absent has no place, nor has one that is not finite."""

    low: str
    high: str
    low_at: float | None
    high_at: float | None

    def __post_init__(self) -> None:
        make_printable(self)


@dataclass(frozen=True)
class FileRange:
    file: str
    """Its name, without folders."""
    stored: Range
    actual: Range
    wrong: bool = False
    """Whether the claim fails here."""
    planned: bool = False
    """Whether the metadata keeps the file for the predicate."""
    matching: bool = False
    """Whether it holds a row that matches the predicate."""

    def __post_init__(self) -> None:
        make_printable(self)


@dataclass(frozen=True)
class FileRanges:
    column: str
    axis: Axis
    files: tuple[FileRange, ...]
    """By their actual values, from the smallest. Of more than FILES, the wrong and the planned ones are kept."""
    total: Count
    """Files of the table."""
    asked: Range | None = None
    """The values that a predicate asks for; None for no predicate. An open side has no place."""

    def __post_init__(self) -> None:
        make_printable(self)

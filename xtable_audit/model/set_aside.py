"""What of a table is not judged, and why."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SetAside:
    """A column of the table, a partition field made from one, or a data file: claims do not apply to it."""

    reason: str
    column: str | None = None
    path: str | None = None

    def __str__(self) -> str:
        return f"{self.column or self.path}: {self.reason}"

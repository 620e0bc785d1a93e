"""Parts of a table that are not judged, and why."""

from __future__ import annotations

from dataclasses import dataclass

from xtable_audit.model.printable import printable


@dataclass(frozen=True)
class SetAside:
    """A column, a partition field or a data file that claims do not apply to."""

    reason: str
    column: str | None = None
    path: str | None = None

    def __str__(self) -> str:
        return printable(f"{self.column or self.path}: {self.reason}")

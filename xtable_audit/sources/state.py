"""A source table at one point of its history, by its own log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xtable_audit.model.figures import many


@dataclass(frozen=True)
class Beside:
    """Updates and deletes that the source keeps in other files than the data file they concern."""

    where: str
    """`1 log file`, `its deletion vector`."""
    updates: int
    """Updates and inserts."""
    deletes: int
    wins: bool = True
    """Whether they take effect whatever the rows hold; False if the newest by a column of the rows does."""

    def __str__(self) -> str:
        counts = [many(self.updates, "update")] if self.updates else []
        counts += [many(self.deletes, "delete")] if self.deletes else []
        return f"{' and '.join(counts)} in {self.where}"


@dataclass(frozen=True)
class SourceState:
    """The source right after the commit that was translated last."""

    format: str
    """hudi or delta."""
    at: str
    """The commit: Hudi's instant, or Delta's version."""
    newest: str
    """The source's newest commit."""
    later: int
    """Completed commits that are not translated."""
    files: Mapping[str, int | None]
    """Full address of each live data file -> its size in bytes; None if the source has deleted it since."""
    columns: tuple[str, ...]
    """Dotted paths, fields of structs too."""
    partition_by: tuple[str, ...]
    beside: Mapping[str, Beside]
    """By the address of the data file; of log files without one, by that of the first of them."""
    outside: tuple[str, ...] = ()
    """Addresses that the log names and that are not below the source's folder."""
    spec: str | None = None
    """The partition spec that a translation must have, as XTable writes one, "" for the partition columns themselves;
    None if the source does not decide it."""

"""A live delete file of a table: deletes by position or by value, or a deletion vector."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

POSITION, EQUALITY = 1, 2
PARQUET, PUFFIN, AVRO, ORC = "PARQUET", "PUFFIN", "AVRO", "ORC"
Tuple = tuple[int, tuple[str, ...]]
"""A file's partition: the id of its spec, and the `repr` of each value."""


@dataclass(frozen=True)
class DeleteFile:
    """A live delete file, as its manifest describes it."""

    path: str
    content: int
    format: str
    sequence: int
    partition: Tuple
    equality_ids: tuple[int, ...] = ()
    referenced: str | None = None
    """The one data file it applies to, if it names one."""
    record_count: int = 0
    """Rows of the file, or the cardinality of the vector."""
    size: int = 0
    """In bytes: of the whole Puffin file for a vector."""
    offset: int | None = None
    length: int | None = None
    """Where a vector lies in its Puffin file, in bytes."""
    added_by: int | None = None
    """The snapshot that added it; None if its manifest does not say."""
    is_encrypted: bool = False
    metrics: tuple[tuple[str, tuple[tuple[int, Any], ...]], ...] = ()
    """For each metric that is stored (`lower_bounds`, `value_counts`, …), pairs of field id and value."""

    @property
    def is_vector(self) -> bool:
        return self.format == PUFFIN

    @property
    def is_known(self) -> bool:
        """Whether the judge can read it. It resolves the columns of equality deletes by field id in Parquet alone."""
        readable = self.format in (PARQUET, PUFFIN) or (self.content == POSITION and self.format in (AVRO, ORC))
        return readable and not self.is_encrypted

"""What a format or a table's properties let the metadata leave out, or say less exactly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from xtable_audit.model.scalars import Mask


@dataclass(frozen=True)
class OptionalMetrics:
    """Marks files by column, in the order of the stored metrics. Columns that are absent have none."""

    bounds: Mapping[str, pa.Array] = field(default_factory=dict)
    """Whether bounds of the column may be absent in the file."""
    counts: Mapping[str, pa.Array] = field(default_factory=dict)
    """Whether the null count of the column may be absent in the file."""
    wide: Mapping[str, pa.Array] = field(default_factory=dict)
    """Whether bounds of the column may be wider than the values of the file, and its null count says nothing but that
    no value is null, or all are."""

    def take(self, rows: pa.Array) -> OptionalMetrics:
        return OptionalMetrics(*({name: one.take(rows) for name, one in each.items()} for each in self._all))

    def over(self, marks: Mapping[str, pa.Array], column: str, files: int) -> Mask:
        """The files that are marked for the column."""
        return np.asarray(marks[column]) if column in marks else np.zeros(files, dtype=bool)

    @property
    def _all(self) -> tuple[Mapping[str, pa.Array], ...]:
        return self.bounds, self.counts, self.wide


ALL_REQUIRED = OptionalMetrics()


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

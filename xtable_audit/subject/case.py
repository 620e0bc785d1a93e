"""What the claims are held against: one table's evidence, its truth, and what its source says it should be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from xtable_audit.metadata.stored_metrics import StoredMetrics
from xtable_audit.model.finding import Impact
from xtable_audit.model.sync import Sync
from xtable_audit.subject.table_rows import Rows
from xtable_audit.values.actual_metrics import ActualMetrics


@dataclass(frozen=True)
class Source:
    """What the source table's own format says, independent of any translation."""

    partition_by: tuple[str, ...]
    """Columns of the identity partition spec that the translation was configured for."""
    separates: tuple[str, ...]
    """Columns by whose ranges a good layout keeps its files apart."""
    base_files: Mapping[str, int]
    """The latest base files, full URI to size in bytes."""
    spec: str = ""
    """The partition fields XTable was configured for: `column:VALUE|YEAR|MONTH|DAY|HOUR[:format],…`; none: ""."""
    shown: pa.Table | None = None
    """The rows that the source's own engine shows, logs and deletes applied; None where nobody asked it."""
    known: bool = True
    """False for a table whose source is not known: no claim then compares the table with it."""


UNKNOWN_SOURCE = Source((), (), {}, known=False)
"""Of a table that somebody else wrote."""


@dataclass(frozen=True)
class State:
    """What one sync of a table's history left, and what the source was at that time."""

    sync: Sync
    after: str
    """What had happened to the source since the sync before, in words."""
    stored: StoredMetrics | None
    """What the newest metadata said; None where there is none, or none that can be read."""
    base_files: Mapping[str, int]
    """The source's latest base files at that time, full URI to size in bytes."""
    rows: int | None
    """Rows that the source's own engine showed at that time."""
    expired: bool = False
    """Whether a later sync expired the snapshot it left: what that listed may rightly be gone."""
    silent: bool = False
    """Whether it failed and reported something else."""


@dataclass(frozen=True)
class Case:
    """One table under audit."""

    id: str
    stored: StoredMetrics
    actual: ActualMetrics
    source: Source
    history: tuple[State, ...] = ()
    """The table after each sync, oldest first; none for tables that were translated once. `stored` is what the last
    sync before the `idle` and the `full` one left: what users have."""
    rows: Rows | None = None
    """The rows that Iceberg shows, to be held against `source.shown`; None where that is None, or a file set aside."""

    def impact(self, places: set[int]) -> Impact:
        """Files, and the rows they really hold, at these places of the evidence."""
        rows = [count or 0 for count in self.actual.files["record_count"].to_pylist()]
        return Impact(len(places), len(rows), sum(rows[i] for i in places), sum(rows))

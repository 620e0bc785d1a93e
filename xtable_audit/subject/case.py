"""The subject of claims: one table's stored metrics, its actual values, and its source."""

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
    """The source table by its own format, independent of any translation."""

    partition_by: tuple[str, ...]
    """Columns of the identity partition spec that the translation is configured for."""
    separates: tuple[str, ...]
    """Columns whose value ranges do not overlap between files in a good layout."""
    base_files: Mapping[str, int]
    """The latest base files, full URI to size in bytes."""
    spec: str = ""
    """XTable's configured partition fields: `column:VALUE|YEAR|MONTH|DAY|HOUR[:format],…`; "" for none."""
    shown: pa.Table | None = None
    """The rows that the source's own engine returns, with logs and deletes applied; None if not queried."""
    known: bool = True
    """False if the source is unknown; claims about the source then do not apply."""


UNKNOWN_SOURCE = Source((), (), {}, known=False)
"""The source of a table that somebody else wrote."""


@dataclass(frozen=True)
class State:
    """The table and its source after one sync of the table's history."""

    sync: Sync
    after: str
    """What happened to the source since the previous sync, in words."""
    stored: StoredMetrics | None
    """Stored metrics of the newest metadata; None if there is none or it cannot be read."""
    base_files: Mapping[str, int]
    """The source's latest base files at that time, full URI to size in bytes."""
    rows: int | None
    """Rows that the source's own engine counted at that time."""
    expired: bool = False
    """Whether a later sync expired its snapshot, whose files may then be deleted."""
    silent: bool = False
    """Whether it failed without reporting the failure."""


@dataclass(frozen=True)
class Case:
    """One table under audit."""

    id: str
    stored: StoredMetrics
    actual: ActualMetrics
    source: Source
    history: tuple[State, ...] = ()
    """The table after each sync, oldest first; empty for tables that are translated once. `stored` is the state after
    the last sync before `idle` and `full`, the state that users have."""
    rows: Rows | None = None
    """The rows of the Iceberg table, to compare with `source.shown`; None if that is None or a file is set aside."""

    def impact(self, places: set[int]) -> Impact:
        """The impact on these files (rows of the stored metrics), with the actual number of their rows."""
        rows = [count or 0 for count in self.actual.files["record_count"].to_pylist()]
        return Impact(len(places), len(rows), sum(rows[i] for i in places), sum(rows))

"""What a target format is: how its metadata is recognised and read into what claims see of a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xtable_audit.model.objects import Objects
from xtable_audit.table.stored_metrics import StoredMetrics


@dataclass(frozen=True)
class TargetFormat:
    """A format in which a translator or another writer leaves a table's metadata."""

    name: str
    """iceberg, delta: as in ids, options and documents."""
    title: str
    """Iceberg, Delta: as in sentences."""
    reads: Callable[[str], bool]
    """Whether a metadata location is one of this format, by its address alone."""
    read: Callable[[Objects, str], StoredMetrics]
    """The stored metrics of the table at a metadata location. Raises Malformed."""

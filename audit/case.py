"""What the claims are held against: one table's evidence, its truth, and what its source says it should be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from audit.evidence import Evidence
from audit.finding import Impact
from audit.truth import Truth


@dataclass(frozen=True)
class Source:
    """What the source table's own format says, independent of any translation."""

    partition_by: tuple[str, ...]
    """Columns of the identity partition spec that the translation was configured for."""
    separates: tuple[str, ...]
    """Columns by whose ranges a good layout keeps its files apart."""
    base_files: Mapping[str, int]
    """The latest base files, full URI to size in bytes."""


@dataclass(frozen=True)
class Case:
    """One table under audit."""

    id: str
    evidence: Evidence
    truth: Truth
    source: Source

    def impact(self, places: set[int]) -> Impact:
        """Files, and the rows they really hold, at these places of the evidence."""
        rows = [count or 0 for count in self.truth.files["record_count"].to_pylist()]
        return Impact(len(places), len(rows), sum(rows[i] for i in places), sum(rows))

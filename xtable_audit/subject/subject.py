"""The subject: one table under audit, wherever it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from xtable_audit.formats.targets import read_stored
from xtable_audit.model.objects import Objects
from xtable_audit.model.subject_id import SubjectId
from xtable_audit.scan.scanner import Scanner
from xtable_audit.subject.case import UNKNOWN_SOURCE, Case, Source, State
from xtable_audit.subject.read_case import case_of
from xtable_audit.table.stored_metrics import StoredMetrics


@dataclass(frozen=True)
class Subject:
    """Where a table's metadata is, access to its bytes, and what else is known about it.

    The first four fields are enough to judge it: a claim that needs more is then not applicable.
    """

    id: SubjectId
    family: str
    """The tables that it belongs with, in one word: `published`, `types`, `history`, …"""
    metadata_location: str
    objects: Objects = field(repr=False)
    """Read-only access to its metadata and data files."""
    source: Source = UNKNOWN_SOURCE
    history: tuple[State, ...] = ()
    control: SubjectId | None = None
    """The same files under the metadata of another translator, which helps to decide blame."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Versions of what wrote it: spark, hudi, iceberg, xtable, pyiceberg, as they apply."""

    def case(self, stored: StoredMetrics | None = None, scanner: Scanner | None = None) -> Case:
        """What claims judge. Reads the metadata, unless `stored` has it, and the data files. Raises Malformed."""
        stored = stored or read_stored(self.objects, self.metadata_location)
        return case_of(self.objects, str(self.id), stored, self.source, self.history, scanner)

"""From a table's metadata.json and its source to the case that the claims are held against."""

from __future__ import annotations

from audit.case import Case, Source, Sync
from audit.evidence import Evidence, read_evidence
from audit.objects import Objects
from audit.shown import read_rows
from audit.truth import truth_of


def read_case(objects: Objects, id: str, location: str, source: Source, syncs: tuple[Sync, ...] = ()) -> Case:
    """The case of the table at `location`. Raises Malformed."""
    return case_of(objects, id, read_evidence(objects, location), source, syncs)


def case_of(objects: Objects, id: str, evidence: Evidence, source: Source, syncs: tuple[Sync, ...] = ()) -> Case:
    """The case of what has been read. Rows are read where the source's own are known. Raises Malformed."""
    truth = truth_of(objects, evidence)
    rows = None if source.shown is None else read_rows(objects, evidence)
    return Case(id, evidence, truth, source, syncs, rows)

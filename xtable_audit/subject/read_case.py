"""From a table's metadata.json and its source to the case that the claims are held against."""

from __future__ import annotations

from xtable_audit.metadata.stored_metrics import StoredMetrics, read_stored_metrics
from xtable_audit.model.objects import Objects
from xtable_audit.subject.case import Case, Source, State
from xtable_audit.values.actual_metrics import actual_metrics_of
from xtable_audit.values.table_rows import read_rows


def read_case(
    objects: Objects, id: str, metadata_location: str, source: Source, history: tuple[State, ...] = ()
) -> Case:
    """The case of the table at `metadata_location`. Raises Malformed."""
    return case_of(objects, id, read_stored_metrics(objects, metadata_location), source, history)


def case_of(objects: Objects, id: str, stored: StoredMetrics, source: Source, history: tuple[State, ...] = ()) -> Case:
    """The case of what has been read. Rows are read where the source's own are known. Raises Malformed."""
    actual = actual_metrics_of(objects, stored)
    rows = None if source.shown is None else read_rows(objects, stored)
    return Case(id, stored, actual, source, history, rows)

"""Builds the case that claims judge from a table's metadata.json and its source."""

from __future__ import annotations

from functools import partial

from xtable_audit.formats.targets import read_stored, target_of
from xtable_audit.model.objects import Objects
from xtable_audit.scan.local import LocalScanner
from xtable_audit.scan.questions import actual_metrics, live_files
from xtable_audit.scan.scanner import Scanner
from xtable_audit.subject.case import Case, Source, State
from xtable_audit.subject.table_rows import read_rows
from xtable_audit.table.stored_metrics import StoredMetrics


def read_case(
    objects: Objects,
    id: str,
    metadata_location: str,
    source: Source,
    history: tuple[State, ...] = (),
    scanner: Scanner | None = None,
) -> Case:
    """The case of the table at `metadata_location`. Raises Malformed."""
    return case_of(objects, id, read_stored(objects, metadata_location), source, history, scanner)


def case_of(
    objects: Objects,
    id: str,
    stored: StoredMetrics,
    source: Source,
    history: tuple[State, ...] = (),
    scanner: Scanner | None = None,
) -> Case:
    """The case for stored metrics that are already read. Raises Malformed.

    Reads the rows if the source's rows are known and no file is set aside.
    """
    measure = partial(actual_metrics, scanner or LocalScanner(objects))
    actual = measure(stored)
    rows = (
        None
        if source.shown is None or stored.files_set_aside
        else read_rows(objects, stored, live_files(objects, stored))
    )
    beside = target_of(stored.metadata_location).read_beside(objects, stored)
    return Case(id, stored, actual, source, history, rows, measure, beside)

"""The judge's use of a scanner: a table's actual metrics, and rows that match predicates."""

from __future__ import annotations

from collections.abc import Sequence

from xtable_audit.model.objects import Objects
from xtable_audit.model.predicate import Predicate
from xtable_audit.model.wanted import DataFiles
from xtable_audit.scan.scanner import Scanner
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.values.actual_metrics import ActualMetrics
from xtable_audit.values.matching_rows import by_predicate


def actual_metrics(scanner: Scanner, stored: StoredMetrics) -> ActualMetrics:
    """The actual metrics of a table's live files, including partition values. Raises Malformed."""
    return ActualMetrics.of(scanner.measure(stored.data_files, stored.native.wanted(stored)), stored.paths)


def matching_rows(
    scanner: Scanner, files: DataFiles, stored: StoredMetrics, predicates: Sequence[Predicate]
) -> list[dict[str, int]]:
    """For each predicate, the number of matching live rows per file. Raises Malformed."""
    counted = scanner.count(files, [leaf.column for leaf in stored.leaves], predicates)
    return by_predicate(counted, len(predicates))


def live_files(objects: Objects, stored: StoredMetrics) -> DataFiles:
    """The live files with their row-level deletes, without files that are set aside. Raises Malformed."""
    files = stored.data_files.without(stored.files_set_aside)
    return stored.native.with_deletes(objects, files, stored.deletions)

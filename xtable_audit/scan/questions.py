"""What the judge asks a scanner about a table: its actual metrics, and the rows that match predicates."""

from __future__ import annotations

from collections.abc import Sequence

from xtable_audit.metadata.stored_metrics import StoredMetrics
from xtable_audit.metadata.transforms import buckets
from xtable_audit.model.predicate import Predicate
from xtable_audit.model.wanted import DataFiles, Wanted
from xtable_audit.scan.scanner import Scanner
from xtable_audit.values.actual_metrics import ActualMetrics
from xtable_audit.values.fields import shapes
from xtable_audit.values.matching_rows import by_predicate
from xtable_audit.values.nested_nulls import demanding


def wanted(stored: StoredMetrics) -> Wanted:
    """Everything that claims compare."""
    columns = tuple(leaf.column for leaf in stored.leaves)
    return Wanted(columns, buckets(stored.spec, stored.leaves), demanding(shapes(stored.schema)))


def actual_metrics(scanner: Scanner, stored: StoredMetrics) -> ActualMetrics:
    """Of the live files of a table, partition values included. Raises Malformed."""
    return ActualMetrics.of(scanner.measure(stored.data_files, wanted(stored)), stored.paths)


def matching_rows(
    scanner: Scanner, stored: StoredMetrics, files: DataFiles, predicates: Sequence[Predicate]
) -> list[dict[str, int]]:
    """For each predicate the matching live rows of each of these files. Raises Malformed."""
    return by_predicate(scanner.count(files, [leaf.column for leaf in stored.leaves], predicates))

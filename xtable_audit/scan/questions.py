"""The judge's use of a scanner: a table's actual metrics, and rows that match predicates."""

from __future__ import annotations

from collections.abc import Sequence

from xtable_audit.formats.iceberg.deletes import with_deletes
from xtable_audit.formats.iceberg.fields import shapes
from xtable_audit.formats.iceberg.iceberg_table import iceberg_of
from xtable_audit.formats.iceberg.row_ids import LINEAGE
from xtable_audit.formats.iceberg.sort_orders import sorted_by
from xtable_audit.formats.iceberg.transforms import buckets
from xtable_audit.model.objects import Objects
from xtable_audit.model.predicate import Predicate
from xtable_audit.model.wanted import DataFiles, Wanted
from xtable_audit.scan.scanner import Scanner
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.values.actual_metrics import ActualMetrics
from xtable_audit.values.matching_rows import by_predicate
from xtable_audit.values.nested_nulls import demanding

LINEAGE_SINCE = 3
"""The format version that has row lineage."""


def wanted(stored: StoredMetrics) -> Wanted:
    """Everything that claims compare in data files."""
    columns = tuple(leaf.column for leaf in stored.leaves)
    if iceberg_of(stored).metadata.format_version >= LINEAGE_SINCE:
        taken = {column.path for column in columns}
        columns = (*columns, *(one for one in LINEAGE if one.path not in taken))
    derived = {one.name: one for spec in stored.partitionings for one in buckets(spec, stored.leaves)}
    used = {*stored.files["sort_order"].to_pylist()}
    orders = tuple(
        (order.order_id, fields)
        for order in iceberg_of(stored).metadata.sort_orders
        if order.order_id in used and (fields := sorted_by(order, stored.leaves))
    )
    return Wanted(columns, tuple(derived.values()), demanding(shapes(iceberg_of(stored).schema)), orders)


def actual_metrics(scanner: Scanner, stored: StoredMetrics) -> ActualMetrics:
    """The actual metrics of a table's live files, including partition values. Raises Malformed."""
    return ActualMetrics.of(scanner.measure(stored.data_files, wanted(stored)), stored.paths)


def matching_rows(
    scanner: Scanner, files: DataFiles, stored: StoredMetrics, predicates: Sequence[Predicate]
) -> list[dict[str, int]]:
    """For each predicate, the number of matching live rows per file. Raises Malformed."""
    counted = scanner.count(files, [leaf.column for leaf in stored.leaves], predicates)
    return by_predicate(counted, len(predicates))


def live_files(objects: Objects, stored: StoredMetrics) -> DataFiles:
    """The live files with their row-level deletes, without files that are set aside. Raises Malformed."""
    files = stored.data_files.without(stored.files_set_aside)
    return with_deletes(objects, files, stored.deletions, iceberg_of(stored).metadata.schemas)

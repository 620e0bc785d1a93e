"""What mends a finding on a table that another than XTable wrote: by claim, the statement that does.

Each is proven: tests spoil a table so that the claim fails, run the statement that `check` prints, and find nothing on
the table afterwards, with the same rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyiceberg.transforms import IdentityTransform

from xtable_audit.claims.deviation import TableClaim
from xtable_audit.claims.iceberg import bounds, counts, data_files, manifests, partition, snapshots, statistics
from xtable_audit.claims.iceberg import delete_files as deletes
from xtable_audit.claims.iceberg import deletion_vectors as vectors
from xtable_audit.claims.translation import files
from xtable_audit.metadata.stored_metrics import StoredMetrics
from xtable_audit.model.finding import Finding

SPARK, PYICEBERG = "Spark SQL", "PyIceberg"


@dataclass(frozen=True)
class Remedy:
    """`statement` has the places {catalog}, {table}, {where} and {reference}."""

    words: str
    language: str
    statement: str
    claims: tuple[TableClaim, ...]
    serves: Callable[[StoredMetrics, Finding], bool] = lambda stored, finding: True
    """Whether it mends this finding on this table."""
    repeats: str = ""
    """The engine that says of the files what is wrong: of files that it wrote itself it may say the same again."""


def _no_constant(stored: StoredMetrics, finding: Finding) -> bool:
    """Spark takes the values of an identity partition from its tuple: a false one would become the value."""
    if finding.claim != partition.tuples_equal_every_row.id:
        return True
    identity = {
        stored.schema.find_column_name(field.source_id)
        for one in stored.partitionings
        for field in one.spec.fields
        if isinstance(field.transform, IdentityTransform)
    }
    return not identity & {*finding.columns}


def _of_current_snapshot(stored: StoredMetrics, finding: Finding) -> bool:
    """The procedure computes those of the current snapshot anew, and no partition statistics."""
    del finding
    current = stored.metadata.current_snapshot_id
    return not stored.partition_statistics and all(one.snapshot == current for one in stored.statistics)


def _fits_in_memory(stored: StoredMetrics, finding: Finding) -> bool:
    """PyIceberg 0.12 writes format version 2 at most, and holds all rows in memory. It stores no bounds of fields in
    structs, and empty lists for null ones.
    """
    del finding
    small = (sum(stored.files["size"].fill_null(0).to_pylist()) < SMALL) and stored.metadata.format_version < 3
    flat = all(field.field_type.is_primitive for field in stored.schema.fields)
    return small and flat and not stored.deletions.files


SMALL = 1 << 30
"""Bytes of data files that may be read at once."""
OF_FILES: tuple[TableClaim, ...] = (
    bounds.bounds_contain_values,
    bounds.bounds_are_tight,
    bounds.bounds_are_present,
    bounds.points_skip_what_exact_bounds_would,
    bounds.no_bound_is_nan,
    bounds.zeros_are_in_total_order,
    counts.value_counts_are_exact,
    counts.null_counts_are_exact,
    counts.nan_counts_are_exact,
    counts.record_counts_are_exact,
    data_files.column_sizes_fit_the_file,
)
"""Claims about what manifests say of data files that a writer who reads the rows says anew."""
REMEDIES = (
    Remedy(
        "Have Spark write the files anew, with metrics of their own",
        SPARK,
        "CALL {catalog}.system.rewrite_data_files(table => '{table}', {where}options => map('rewrite-all', 'true'))",
        (
            *OF_FILES,
            bounds.bounds_are_of_the_columns_type,
            data_files.sort_orders_are_those_of_the_table,
            data_files.rows_are_in_their_sort_order,
            files.sizes_are_exact,
            manifests.manifest_counts_are_exact,
            partition.summaries_cover_every_tuple,
            partition.tuples_equal_every_row,
        ),
        _no_constant,
        repeats="Spark",
    ),
    Remedy(
        "Without Spark, write all rows anew by PyIceberg",
        PYICEBERG,
        "table = load_catalog('{catalog}').load_table('{table}'); table.overwrite(table.scan().to_arrow())",
        OF_FILES,
        _fits_in_memory,
    ),
    Remedy(
        "Have Spark write the manifests anew",
        SPARK,
        "CALL {catalog}.system.rewrite_manifests('{table}')",
        (manifests.manifest_lengths_are_exact,),
        lambda stored, finding: len(stored.manifests) > 1,
    ),
    Remedy(
        "Have Spark write the delete files anew",
        SPARK,
        "CALL {catalog}.system.rewrite_position_delete_files(table => '{table}', "
        "options => map('rewrite-all', 'true'))",
        (deletes.delete_counts_are_exact, deletes.delete_file_sizes_are_exact),
        lambda stored, finding: stored.metadata.format_version == 2,
    ),
    Remedy(
        "Have Spark write the files anew, without deletes that are of none",
        SPARK,
        "CALL {catalog}.system.rewrite_data_files(table => '{table}', "
        "options => map('rewrite-all', 'true', 'remove-dangling-deletes', 'true'))",
        (vectors.vectors_are_of_live_files,),
    ),
    Remedy(
        "Drop it; its snapshot cannot be read any more",
        SPARK,
        "ALTER TABLE {catalog}.{table} DROP {reference}",
        (snapshots.branches_and_tags_can_be_read,),
    ),
    Remedy(
        "Have Spark compute the statistics anew",
        SPARK,
        "CALL {catalog}.system.compute_table_stats(table => '{table}')",
        (statistics.statistics_can_be_read, statistics.statistics_sizes_are_exact),
        _of_current_snapshot,
    ),
)

"""What mends a finding on an Iceberg table that another than XTable wrote: by claim, the statement that does.

Each is proven: tests spoil a table so that the claim fails, run the statement that `check` prints, and find nothing on
the table afterwards, with the same rows.
"""

from __future__ import annotations

from xtable_audit.claims import bounds, counts, partition
from xtable_audit.claims.deviation import TableClaim
from xtable_audit.claims.translation import files
from xtable_audit.formats.check_support import Remedy
from xtable_audit.formats.iceberg.claims import data_files, manifests, snapshots, statistics
from xtable_audit.formats.iceberg.claims import delete_files as deletes
from xtable_audit.formats.iceberg.claims import deletion_vectors as vectors
from xtable_audit.formats.iceberg.iceberg_table import iceberg_of
from xtable_audit.model.finding import Finding
from xtable_audit.table.partitions import TransformKind
from xtable_audit.table.stored_metrics import StoredMetrics

SPARK, PYICEBERG = "Spark SQL", "PyIceberg"


def _no_constant(stored: StoredMetrics, finding: Finding) -> bool:
    """Spark takes the values of an identity partition from its tuple: a false one would become the value."""
    return not _is_constant(stored, finding)


def _is_constant(stored: StoredMetrics, finding: Finding) -> bool:
    """Whether the tuples are false of an identity partition."""
    if finding.claim != partition.tuples_equal_every_row.id:
        return False
    identity = {
        field.source
        for one in stored.partitionings
        for field in one.spec
        if field.transform.kind is TransformKind.IDENTITY
    }
    return bool(identity & {*finding.columns})


def _constant_is_read(stored: StoredMetrics, finding: Finding) -> bool:
    """PyIceberg takes the values from the file, whatever the tuple says. Of other transforms none was tried."""
    alone = all(field.transform.kind is TransformKind.IDENTITY for field in stored.partitioning.spec)
    return alone and _is_constant(stored, finding) and _fits_in_memory(stored, finding)


def _constant_is_not_read(stored: StoredMetrics, finding: Finding) -> bool:
    return _is_constant(stored, finding) and not _constant_is_read(stored, finding)


def _can_be_dropped(stored: StoredMetrics, finding: Finding) -> bool:
    """PyIceberg 0.12 writes format version 2 at most, and plans no file of 0 rows. Of delete files none was tried."""
    del finding
    return (
        iceberg_of(stored).metadata.format_version < 3
        and not stored.deletions.files
        and _has_no_file_of_nothing(stored)
    )


def _cannot_be_dropped(stored: StoredMetrics, finding: Finding) -> bool:
    return not _can_be_dropped(stored, finding)


def _has_no_file_of_nothing(stored: StoredMetrics) -> bool:
    return 0 not in stored.files["record_count"].to_pylist()


def _of_current_snapshot(stored: StoredMetrics, finding: Finding) -> bool:
    """The procedure computes those of the current snapshot anew, and no partition statistics."""
    del finding
    current = iceberg_of(stored).metadata.current_snapshot_id
    return not iceberg_of(stored).partition_statistics and all(
        one.snapshot == current for one in iceberg_of(stored).statistics
    )


def _fits_in_memory(stored: StoredMetrics, finding: Finding) -> bool:
    """PyIceberg 0.12 writes format version 2 at most, and holds all rows in memory. It stores no bounds of fields in
    structs, and empty lists for null ones; the rows of a file that is said to have none it does not read.
    """
    del finding
    small = (sum(stored.files["size"].fill_null(0).to_pylist()) < SMALL) and iceberg_of(
        stored
    ).metadata.format_version < 3
    flat = all(field.field_type.is_primitive for field in iceberg_of(stored).schema.fields)
    return small and flat and not stored.deletions.files and _has_no_file_of_nothing(stored)


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
OVERWRITE = "table = load_catalog('{catalog}').load_table('{table}'); table.overwrite(table.scan().to_arrow())"
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
        rewrites=True,
    ),
    Remedy(
        "Without Spark, write all rows anew by PyIceberg",
        PYICEBERG,
        OVERWRITE,
        OF_FILES,
        _fits_in_memory,
    ),
    Remedy(
        "Write all rows anew by PyIceberg, which reads the column from the files",
        PYICEBERG,
        OVERWRITE,
        (partition.tuples_equal_every_row,),
        _constant_is_read,
    ),
    Remedy(
        "No statement is known: Spark would make the false value that of every row, and PyIceberg was tried on flat "
        "tables below 1 GB alone, partitioned by identity, without deletes, of format version 1 or 2",
        "",
        "",
        (partition.tuples_equal_every_row,),
        _constant_is_not_read,
    ),
    Remedy(
        "Restore the object at that address, from a backup or an older version that the bucket keeps",
        "",
        "",
        (files.every_file_exists,),
    ),
    Remedy(
        "If it is gone for good, drop its entry; its rows are lost",
        PYICEBERG,
        "t = load_catalog('{catalog}').load_table('{table}'); tx = t.transaction(); "
        "new = tx.update_snapshot().overwrite(); [new.delete_data_file(one.file) for one in t.scan().plan_files() "
        "if not t.io.new_input(one.file.file_path).exists()]; new.commit(); tx.commit_transaction()",
        (files.every_file_exists,),
        _can_be_dropped,
    ),
    Remedy(
        "If it is gone for good, its rows are lost; no statement is known that drops its entry from a table of format "
        "version 3, with delete files, or with files of no rows",
        "",
        "",
        (files.every_file_exists,),
        _cannot_be_dropped,
    ),
    Remedy(
        "Have Spark write the manifests anew",
        SPARK,
        "CALL {catalog}.system.rewrite_manifests('{table}')",
        (manifests.manifest_lengths_are_exact,),
        lambda stored, finding: len(iceberg_of(stored).manifests) > 1,
    ),
    Remedy(
        "Have Spark write the delete files anew",
        SPARK,
        "CALL {catalog}.system.rewrite_position_delete_files(table => '{table}', "
        "options => map('rewrite-all', 'true'))",
        (deletes.delete_counts_are_exact, deletes.delete_file_sizes_are_exact),
        lambda stored, finding: iceberg_of(stored).metadata.format_version == 2,
    ),
    Remedy(
        "Have Spark write the files anew, without deletes that are of none",
        SPARK,
        "CALL {catalog}.system.rewrite_data_files(table => '{table}', "
        "options => map('rewrite-all', 'true', 'remove-dangling-deletes', 'true'))",
        (vectors.vectors_are_of_live_files,),
        rewrites=True,
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

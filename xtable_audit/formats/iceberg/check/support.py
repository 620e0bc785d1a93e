"""What `check` needs of an Iceberg table, in one place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import pyiceberg.io.pyarrow  # noqa: F401  # pandas comes with it: all of it before memory is bounded
from pyiceberg.types import BinaryType, DecimalType, FixedType, TimestampType, TimestamptzType, UUIDType

from xtable_audit.claims import CLAIMS
from xtable_audit.formats.check_support import CheckSupport, Chosen, Mended, Root
from xtable_audit.formats.iceberg.beside_data_files import other_references
from xtable_audit.formats.iceberg.check.filled_remedies import ADVICE
from xtable_audit.formats.iceberg.check.metadata_writer import authors, writer_of
from xtable_audit.formats.iceberg.check.snapshot import changed, choose, moved_on
from xtable_audit.formats.iceberg.claims import manifests, schema, snapshots, statistics
from xtable_audit.formats.iceberg.columns import type_of
from xtable_audit.formats.iceberg.iceberg_table import IcebergTable, iceberg_of
from xtable_audit.formats.iceberg.manifests import Manifest
from xtable_audit.formats.iceberg.metrics_modes import modes
from xtable_audit.formats.iceberg.stored_metrics import read_stored_metrics
from xtable_audit.model.columns import Leaf, LiteralKind, kind_by_arrow
from xtable_audit.model.objects import Objects
from xtable_audit.table.stored_metrics import Native, StoredMetrics
from xtable_audit.table.synced import PROPERTY, Synced, synced_in

if TYPE_CHECKING:
    from pyiceberg.table.metadata import TableMetadata

    from xtable_audit.table.stored_metrics import StoredMetrics


def source_types(leaf: Leaf) -> tuple[str, ...]:
    """The names that sources have for the column's type (`xtable_audit.model.source_fact.LEAF_TYPES`)."""
    match type_of(leaf):
        case DecimalType():
            return ("decimal",)
        case FixedType():
            return ("fixed",)
        case BinaryType():
            return ("bytes",)
        case TimestamptzType():
            return ("timestamp",)
        case TimestampType():
            return ("timestamp", "timestamp_ntz")
        case kind:
            return (str(kind),)


def literal_kind(leaf: Leaf) -> LiteralKind | None:
    """What a literal must be to be compared with the column."""
    match type_of(leaf):
        case UUIDType():
            return LiteralKind.UUID
        case FixedType():
            return LiteralKind.FIXED
        case _:
            return kind_by_arrow(leaf.arrow)


def synced_of(metadata: TableMetadata) -> Synced | None:
    """What the current snapshot's summary says, else the table's property if that snapshot is the newest; or None."""
    current = metadata.current_snapshot()
    content = ""
    if current is not None and current.summary is not None:
        content = current.summary.additional_properties.get(PROPERTY, "")
    newest = max((one.timestamp_ms for one in metadata.snapshots), default=0)
    if not content and (current is None or current.timestamp_ms == newest):
        content = metadata.properties.get(PROPERTY, "")
    return synced_in(content)


FAMILIES: Mapping[str, str] = {
    "partition": "partition values",
    "delete_files": "delete files",
    "deletion_vectors": "deletion vectors",
    "row_lineage": "row lineage",
    "statistics": "statistics files",
    "schema": "schemas and name mapping",
    "layout": "the order of files",
}


def _read(objects: Objects, metadata_location: str, chosen: Chosen) -> StoredMetrics:
    return read_stored_metrics(objects, metadata_location, partial(choose, chosen))


def _synced(stored: StoredMetrics) -> Synced | None:
    return synced_of(iceberg_of(stored).metadata)


def _has_more(stored: StoredMetrics) -> bool:
    return bool(stored.deletions.files or stored.native.statistics_files or other_references(stored))


def _mended(native: Native, mended: Mended) -> Native:
    def of(manifest: Manifest) -> Manifest:
        if not manifest.is_of_data:
            return manifest
        return replace(manifest, entries=mended(manifest.entries, "path"), live=mended(manifest.live, "file_path"))

    assert isinstance(native, IcebergTable)
    return replace(native, manifests=tuple(map(of, native.manifests)))


ICEBERG = CheckSupport(
    claims=CLAIMS,
    libraries=("pyarrow", "pyiceberg", "datafusion"),
    read=_read,
    format_version=lambda stored: iceberg_of(stored).metadata.format_version,
    writer=writer_of,
    authors=authors,
    synced=_synced,
    says_no_sync=f"neither the snapshot nor the table has {PROPERTY}, in which XTable says up to where it synced "
    "(before 0.3.0 of the newest snapshot alone)",
    since=changed,
    moved_on=moved_on,
    has_more=_has_more,
    modes=modes,
    source_types=source_types,
    literal_kind=literal_kind,
    sums=(
        manifests.manifest_counts_are_exact,
        snapshots.totals_are_those_of_the_manifests,
        snapshots.changes_are_those_of_the_manifests,
        statistics.partition_statistics_count_live_files,
    ),
    resolves=(
        Root(schema.names_are_mapped, "readers, and the judge, find nothing of the column in the file and read nulls"),
    ),
    plans=(
        Root(schema.required_columns_have_no_nulls, "planners answer IS NULL on a required column without its metrics"),
        Root(schema.field_ids_are_unique, "planners find bounds by the field id of a column, which is another's too"),
        Root(
            manifests.tuples_have_the_ids_of_the_spec,
            "planners find partition values by field ids, which the manifest lacks",
        ),
    ),
    mended=_mended,
    families=FAMILIES,
    advice=ADVICE,
)

"""What a table has as an Iceberg table alone, beside what every format's claims see of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform, UnknownTransform, VoidTransform
from pyiceberg.types import NestedField, StructType, UUIDType

from xtable_audit.formats.iceberg.columns import arrow_type, initial_default
from xtable_audit.formats.iceberg.deletes import with_deletes
from xtable_audit.formats.iceberg.fields import PROPERTY as NAME_MAPPING
from xtable_audit.formats.iceberg.fields import name_mapping, nodes, shapes
from xtable_audit.formats.iceberg.manifests import DATA, Manifest
from xtable_audit.formats.iceberg.metadata_json_types import NOT_READ, AsWritten
from xtable_audit.formats.iceberg.snapshot_summary import Changes, changes_of, shown_changes, shown_totals
from xtable_audit.formats.iceberg.statistics import Listed
from xtable_audit.formats.iceberg.transforms import buckets, derived
from xtable_audit.model.columns import Leaf, RowField
from xtable_audit.model.objects import Objects
from xtable_audit.model.scan_input import DataFiles, NameMapping, SortedBy, Wanted, WantedColumn
from xtable_audit.model.target_rules import TargetRules
from xtable_audit.table.deletions import Deletions
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.table.synced import PROPERTY, Synced, synced_in
from xtable_audit.values.row_counts import demanding

if TYPE_CHECKING:
    from pyiceberg.table.metadata import TableMetadata
    from pyiceberg.table.sorting import SortOrder


def sorted_by(order: SortOrder, leaves: tuple[Leaf, ...]) -> tuple[SortedBy, ...]:
    """Its fields up to the first that is not judged: on a dropped column, of an unknown transform, or of UUIDs, which
    Java and the specification compare in two ways. Rows in the whole order are in that of its first fields too.
    """
    from pyiceberg.table.sorting import NullOrder, SortDirection  # late: a collection reads no metadata

    by_id = {leaf.field_id: leaf for leaf in leaves}
    found: list[SortedBy] = []
    for field in order.fields:
        leaf = by_id.get(field.source_id)
        if leaf is None or isinstance(leaf.type, UUIDType) or isinstance(field.transform, UnknownTransform):
            break
        if isinstance(field.transform, VoidTransform):
            continue
        transform = None if isinstance(field.transform, IdentityTransform) else derived(field.transform, leaf)
        descending, first = field.direction is SortDirection.DESC, field.null_order is NullOrder.NULLS_FIRST
        found.append(SortedBy(leaf.path, descending, first, transform))
    return tuple(found)


def in_words(order: SortOrder, names: Mapping[int, str]) -> str:
    """`city asc nulls-first, bucket[4](id) desc nulls-last`."""
    fields = []
    for field in order.fields:
        name = names.get(field.source_id, "a dropped column")
        source = name if isinstance(field.transform, IdentityTransform) else f"{field.transform}({name})"
        fields.append(f"{source} {field.direction.value} {field.null_order.value}")
    return ", ".join(fields)


ROW_ID = WantedColumn(2147483540, "_row_id", pa.int64())
LAST_UPDATED = WantedColumn(2147483539, "_last_updated_sequence_number", pa.int64())
"""Columns that data files of format version 3 hold for rows that were moved (Iceberg spec, Reserved Field IDs)."""
LINEAGE = (ROW_ID, LAST_UPDATED)


@dataclass(frozen=True)
class RowIds:
    """The ids of the rows of one live data file, from `first` to `first + rows - 1`."""

    place: int
    """Of the file in the stored metrics."""
    path: str
    first: int
    rows: int
    assigned_by: int | None
    """The first row id of its manifest, if the file inherits its ids from there; None if its entry has them."""

    @property
    def end(self) -> int:
        return self.first + self.rows


def row_ids(manifests: Sequence[Manifest]) -> Iterator[RowIds]:
    """Those of each live data file whose ids are assigned. `manifests`: all of a snapshot, in the order of its list."""
    place = 0
    for manifest in manifests:
        if manifest.listed.get("content", DATA) != DATA:
            continue
        start = manifest.listed.get("first_row_id")
        following = start
        live = manifest.live
        own = live["first_row_id"].to_pylist() if "first_row_id" in live.column_names else [None] * live.num_rows
        counts, paths = live["record_count"].to_pylist(), live["file_path"].to_pylist()
        for path, first, rows in zip(paths, own, counts, strict=True):
            if first is not None:
                yield RowIds(place, path, first, rows, None)
            elif following is not None:
                yield RowIds(place, path, following, rows, start)
                following += rows
            place += 1


def next_row_id(metadata: TableMetadata) -> int | None:
    """The table's next-row-id; None before format version 3."""
    next_id: int | None = getattr(metadata, "next_row_id", None)
    return next_id


RULES = TargetRules("iceberg")
"""Those that claims name themselves."""
LINEAGE_SINCE = 3
"""The format version that has row lineage."""


@dataclass(frozen=True)
class IcebergTable:
    """A table's metadata.json, and what its current snapshot names."""

    metadata: TableMetadata
    manifests: tuple[Manifest, ...] = ()
    """Those of the current snapshot, in the order of the manifest list."""
    statistics: tuple[Listed, ...] = ()
    partition_statistics: tuple[Listed, ...] = ()
    as_written: AsWritten = NOT_READ
    """How metadata.json is written."""

    @cached_property
    def totals(self) -> dict[str, int]:
        """Those of the summary, as its manifests add up."""
        return shown_totals(self.metadata, self.manifests)

    @cached_property
    def changes(self) -> dict[str, int]:
        """The summary's counts of additions and removals, as its manifests show them."""
        return shown_changes(self.metadata, self.manifests)

    @cached_property
    def changed(self) -> Changes:
        """What the current snapshot adds and removes."""
        return changes_of(self.metadata, self.manifests)

    @property
    def schema(self) -> Schema:
        return self.metadata.schema()

    @property
    def metadata_files(self) -> list[str]:
        snapshot = self.metadata.current_snapshot()
        return [snapshot.manifest_list, *(one.path for one in self.manifests)] if snapshot else []

    @property
    def statistics_files(self) -> list[str]:
        return [one.path for one in (*self.statistics, *self.partition_statistics)]

    @property
    def rules(self) -> TargetRules:
        return RULES

    @property
    def state(self) -> int | None:
        return self.metadata.current_snapshot_id

    @property
    def frame(self) -> tuple[object, object, object]:
        properties = self.metadata.properties
        return self.schema.as_struct(), self.metadata.spec().fields, properties.get(NAME_MAPPING)

    @property
    def schema_in_words(self) -> str:
        return str(self.schema.as_struct())

    @property
    def partitioned_in_words(self) -> str:
        return str(self.metadata.spec())

    @property
    def field_ids(self) -> dict[str, int]:
        return {node.path: node.field_id for node in nodes(self.schema)}

    @property
    def struct_fields(self) -> tuple[str, ...]:
        return tuple(_paths(self.schema.as_struct(), ""))

    @property
    def partitions_first(self) -> bool:
        return False

    @property
    def last_synced(self) -> Synced | None:
        return synced_in(self.metadata.properties.get(PROPERTY, ""))

    @property
    def earlier(self) -> tuple[str, ...]:
        return tuple(entry.metadata_file for entry in self.metadata.metadata_log)

    def type_of(self, column: str) -> str:
        return str(self.schema.find_type(column))

    def name_mapping(self, metadata_location: str) -> NameMapping | None:
        return name_mapping(self.metadata, metadata_location)

    def row_fields(self, without: Collection[str]) -> tuple[RowField, ...]:
        return tuple(_row_field(field) for field in self.schema.fields if field.name not in without)

    def wanted(self, stored: StoredMetrics) -> Wanted:
        columns = tuple(leaf.column for leaf in stored.leaves)
        if self.metadata.format_version >= LINEAGE_SINCE:
            taken = {column.path for column in columns}
            columns = (*columns, *(one for one in LINEAGE if one.path not in taken))
        derived = {one.name: one for spec in stored.partitionings for one in buckets(spec, stored.leaves)}
        used = {*stored.files["sort_order"].to_pylist()}
        orders = tuple(
            (order.order_id, fields)
            for order in self.metadata.sort_orders
            if order.order_id in used and (fields := sorted_by(order, stored.leaves))
        )
        return Wanted(columns, tuple(derived.values()), demanding(shapes(self.schema)), orders)

    def with_deletes(self, objects: Objects, files: DataFiles, deletions: Deletions) -> DataFiles:
        return with_deletes(objects, files, deletions, self.metadata.schemas)


def _paths(struct: StructType, prefix: str) -> Iterator[str]:
    for field in struct.fields:
        path = f"{prefix}{field.name}"
        yield path
        if isinstance(field.field_type, StructType):
            yield from _paths(field.field_type, f"{path}.")


def _row_field(field: NestedField) -> RowField:
    kind = field.field_type
    inside = tuple(map(_row_field, kind.fields)) if isinstance(kind, StructType) else None
    return RowField(field.field_id, field.name, arrow_type(kind), initial_default(field), inside)


def iceberg_of(stored: StoredMetrics) -> IcebergTable:
    """The table as Iceberg has it."""
    assert isinstance(stored.native, IcebergTable), f"{stored.metadata_location} is no Iceberg table"
    return stored.native

"""What a table has as an Iceberg table alone, beside what every format's claims see of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyiceberg.schema import Schema
from pyiceberg.types import StructType

from xtable_audit.formats.iceberg.as_written import NOT_READ, AsWritten
from xtable_audit.formats.iceberg.fields import nodes
from xtable_audit.formats.iceberg.manifests import Manifest
from xtable_audit.formats.iceberg.name_mapping import PROPERTY as NAME_MAPPING
from xtable_audit.formats.iceberg.name_mapping import name_mapping
from xtable_audit.formats.iceberg.statistics import Listed
from xtable_audit.model.synced import PROPERTY, Synced, synced_in
from xtable_audit.model.wanted import NameMapping
from xtable_audit.table.stored_metrics import Declared, StoredMetrics

if TYPE_CHECKING:
    from pyiceberg.table.metadata import TableMetadata


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

    @property
    def schema(self) -> Schema:
        return self.metadata.schema()

    @property
    def declared(self) -> Declared:
        spec = self.metadata.spec()
        return Declared(self.schema.as_struct(), spec.fields, spec, self.metadata.properties.get(NAME_MAPPING))

    @property
    def top_level(self) -> frozenset[str]:
        return frozenset(field.name for field in self.schema.fields)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(_paths(self.schema.as_struct(), ""))

    @property
    def field_ids(self) -> Mapping[str, int]:
        return {node.path: node.field_id for node in nodes(self.schema)}

    @property
    def state(self) -> int | None:
        return self.metadata.current_snapshot_id

    @property
    def table_id(self) -> str:
        return str(self.metadata.table_uuid)

    @property
    def synced(self) -> Synced | None:
        return synced_in(self.metadata.properties.get(PROPERTY, ""))

    @property
    def states_before(self) -> int:
        return len(self.metadata.metadata_log)

    @property
    def metadata_files(self) -> list[str]:
        snapshot = self.metadata.current_snapshot()
        return [snapshot.manifest_list, *(one.path for one in self.manifests)] if snapshot else []

    @property
    def statistics_files(self) -> list[str]:
        return [one.path for one in (*self.statistics, *self.partition_statistics)]

    def type_of(self, column: str) -> str:
        return str(self.schema.find_type(column))

    def name_mapping(self, metadata_location: str) -> NameMapping | None:
        return name_mapping(self.metadata, metadata_location)


def _paths(struct: StructType, prefix: str) -> Iterator[str]:
    for field in struct.fields:
        path = f"{prefix}{field.name}"
        yield path
        if isinstance(field.field_type, StructType):
            yield from _paths(field.field_type, f"{path}.")


def iceberg_of(stored: StoredMetrics) -> IcebergTable:
    """The table as Iceberg has it."""
    assert isinstance(stored.native, IcebergTable), f"{stored.metadata_location} is no Iceberg table"
    return stored.native

"""What a table has as an Iceberg table alone, beside what every format's claims see of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyiceberg.schema import Schema

from xtable_audit.formats.iceberg.as_written import NOT_READ, AsWritten
from xtable_audit.formats.iceberg.manifests import Manifest
from xtable_audit.formats.iceberg.name_mapping import name_mapping
from xtable_audit.formats.iceberg.statistics import Listed
from xtable_audit.model.wanted import NameMapping
from xtable_audit.table.stored_metrics import StoredMetrics

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


def iceberg_of(stored: StoredMetrics) -> IcebergTable:
    """The table as Iceberg has it."""
    assert isinstance(stored.native, IcebergTable), f"{stored.metadata_location} is no Iceberg table"
    return stored.native

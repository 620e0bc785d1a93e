"""A table of a simple format: columns are found by name, and rows are deleted only by writing files anew."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa

from xtable_audit.model.columns import Leaf
from xtable_audit.model.objects import Objects
from xtable_audit.model.target_rules import TargetRules
from xtable_audit.model.wanted import DataFiles, Mapped, NameMapping, OnlyNames, Wanted
from xtable_audit.table.deletions import Deletions
from xtable_audit.table.row_field import RowField
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.table.synced import Synced


@dataclass(frozen=True)
class PlainTable:
    """All of `Native`, by the table's Arrow schema. A format with claims of its own extends it by what they look at."""

    rules: TargetRules
    schema: pa.Schema
    state: int | None = None
    partition_by: tuple[str, ...] = ()
    """Top-level columns whose value is one in each file."""
    partitions_first: bool = False
    last_synced: Synced | None = None
    more_metadata: tuple[str, ...] = ()
    """Addresses of the metadata files of the current state besides the one at the metadata location."""

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        """The columns that have stored metrics; lists and maps have none."""
        ids = self.field_ids
        return tuple(
            Leaf(ids[path], path, str(field.type), field.type, parent=ids.get(path.rpartition(".")[0]))
            for path, field in nodes(self.schema)
            if not pa.types.is_nested(field.type)
        )

    @property
    def frame(self) -> tuple[object, object, object]:
        return self.schema, self.partition_by, None

    @property
    def schema_in_words(self) -> str:
        return str(pa.struct(list(self.schema)))

    @property
    def partitioned_in_words(self) -> str:
        return f"[{', '.join(self.partition_by)}]"

    @cached_property
    def field_ids(self) -> Mapping[str, int]:
        """Their places in the schema: no column can be renamed."""
        return {path: place for place, (path, _) in enumerate(nodes(self.schema), start=1)}

    @property
    def struct_fields(self) -> tuple[str, ...]:
        return tuple(self.field_ids)

    @property
    def metadata_files(self) -> list[str]:
        return [*self.more_metadata]

    @property
    def statistics_files(self) -> list[str]:
        return []

    @property
    def earlier(self) -> tuple[str, ...]:
        return ()

    def type_of(self, column: str) -> str:
        return next(str(field.type) for path, field in nodes(self.schema) if path == column)

    def name_mapping(self, metadata_location: str) -> NameMapping | None:
        return OnlyNames(self._mapped(self.schema, ""))

    def _mapped(self, fields: Iterable[pa.Field], prefix: str) -> dict[str, Mapped]:
        return {
            one.name: Mapped(
                self.field_ids[f"{prefix}{one.name}"], self._mapped(_fields_in(one), f"{prefix}{one.name}.")
            )
            for one in fields
        }

    def row_fields(self, without: Collection[str]) -> tuple[RowField, ...]:
        return self._row_fields((one for one in self.schema if one.name not in without), "")

    def _row_fields(self, fields: Iterable[pa.Field], prefix: str) -> tuple[RowField, ...]:
        def of(one: pa.Field) -> RowField:
            path = f"{prefix}{one.name}"
            inside = self._row_fields(_fields_in(one), f"{path}.") if pa.types.is_struct(one.type) else None
            return RowField(self.field_ids[path], one.name, one.type, inside=inside)

        return tuple(map(of, fields))

    def wanted(self, stored: StoredMetrics) -> Wanted:
        return Wanted(tuple(leaf.column for leaf in stored.leaves))

    def with_deletes(self, objects: Objects, files: DataFiles, deletions: Deletions) -> DataFiles:
        return files


def nodes(fields: Iterable[pa.Field], prefix: str = "") -> Iterator[tuple[str, pa.Field]]:
    """Each column and each field of a struct by its dotted path, structs before their fields."""
    for one in fields:
        yield f"{prefix}{one.name}", one
        yield from nodes(_fields_in(one), f"{prefix}{one.name}.")


def _fields_in(field: pa.Field) -> list[pa.Field]:
    """The fields of a struct; none of any other type."""
    return list(field.type) if pa.types.is_struct(field.type) else []

"""What a table has as a Delta table, beside what every format's claims see of it."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pyarrow as pa

from xtable_audit.formats.delta.actions import AddAction, MetadataAction, ProtocolAction
from xtable_audit.formats.delta.deletion_vector import VectorDescriptor
from xtable_audit.formats.delta.log import DeltaLog
from xtable_audit.formats.delta.partition_values import derived_partitions
from xtable_audit.formats.delta.rules import DELTA_RULES
from xtable_audit.formats.delta.schema import MODE, DeltaColumn
from xtable_audit.formats.delta.statistics import Names
from xtable_audit.formats.delta.types import arrow_of
from xtable_audit.model.columns import RowField
from xtable_audit.model.delta_version import LOG, DeltaVersion
from xtable_audit.model.objects import Objects
from xtable_audit.model.scan_input import DataFiles, Mapped, NameMapping, OnlyNames, Wanted
from xtable_audit.model.target_rules import TargetRules
from xtable_audit.table.deletions import Deletions
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.table.synced import PROPERTY, Synced, synced_in

NUMBER = "delta.dataSkippingNumIndexedCols"
DEFAULT = 32
NAMED = "delta.dataSkippingStatsColumns"
"""Names of columns, in backquotes where they hold a comma or a dot; it takes the place of NUMBER."""
NAME = re.compile(r"\s*((?:`(?:[^`]|``)*`|[^,`])+)\s*(?:,|$)")
PART = re.compile(r"`((?:[^`]|``)*)`|([^.`]+)")


def number_indexed(settings: Mapping[str, str]) -> int:
    """How many leaves, from the first on, Delta keeps statistics of; -1 for all."""
    try:
        return int(settings.get(NUMBER, DEFAULT))
    except ValueError:
        return DEFAULT


def indexed(
    columns: Iterable[DeltaColumn], partition_by: Iterable[str], settings: Mapping[str, str]
) -> frozenset[Names]:
    """The leaves that it keeps statistics of, by their names from the top. Lists and maps count as leaves."""
    partitions = {(name,) for name in partition_by}
    leaves = [one.names for one in columns if one.type != "struct" and one.names not in partitions]
    if NAMED in settings:
        named = {_parts(name.strip()) for name in NAME.findall(settings[NAMED])}
        return frozenset(leaf for leaf in leaves if any(leaf[: len(name)] == name for name in named))
    most = number_indexed(settings)
    return frozenset(leaves if most < 0 else leaves[:most])


def _parts(name: str) -> Names:
    return tuple(quoted.replace("``", "`") or plain for quoted, plain in PART.findall(name))


def row_fields(schema: str, ids: Mapping[str, int]) -> tuple[RowField, ...]:
    """`ids` of columns and fields of structs by their dotted paths."""
    return _fields(json.loads(schema)["fields"], ids, "")


def _fields(fields: list[dict[str, Any]], ids: Mapping[str, int], around: str) -> tuple[RowField, ...]:
    return tuple(_field(one, ids, f"{around}{one['name']}") for one in fields)


def _field(field: Mapping[str, Any], ids: Mapping[str, int], path: str) -> RowField:
    kind = field["type"]
    inside = _fields(kind["fields"], ids, f"{path}.") if _is(kind, "struct") else None
    return RowField(ids.get(path, 0), field["name"], _arrow(kind), None, inside)


def _arrow(kind: Any) -> pa.DataType:
    """Null for a type that is not judged."""
    if _is(kind, "struct"):
        return pa.struct([pa.field(str(one["name"]), _arrow(one["type"])) for one in kind["fields"]])
    if _is(kind, "array"):
        return pa.list_(_arrow(kind["elementType"]))
    if _is(kind, "map"):
        return pa.map_(_arrow(kind["keyType"]), _arrow(kind["valueType"]))
    return arrow_of(str(kind)) or pa.null()


def _is(kind: Any, name: str) -> bool:
    return isinstance(kind, dict) and kind.get("type") == name


FEATURE = "columnMapping"
"""The table feature that lets a mode of column mapping count."""


@dataclass(frozen=True)
class LogFault:
    """What a log says of one file in a form that is not Delta's."""

    path: str
    """Address of the file."""
    saw: str
    expected: str
    column: str | None = None


@dataclass(frozen=True)
class DeltaTable:
    """A table's state after one version of its log."""

    root: str
    log: DeltaLog
    adds: Mapping[str, AddAction]
    """The action of each live file, by the file's address."""
    columns: tuple[DeltaColumn, ...]
    """`stored` names a column in files and statistics, by the mode of column mapping."""
    faults: tuple[LogFault, ...] = ()
    """Of statistics and null counts; bounds that cannot be decoded are in the stored metrics."""

    @cached_property
    def vectors(self) -> Mapping[str, VectorDescriptor]:
        """The deletion vector of each live file that has one, by the file's address."""
        return {path: add.deletion_vector for path, add in self.adds.items() if add.deletion_vector is not None}

    @cached_property
    def indexed(self) -> frozenset[Names]:
        """The leaves that Delta keeps statistics of, and skips files by."""
        return indexed(self.columns, self.metadata.partition_by, self.metadata.settings)

    @property
    def metadata(self) -> MetadataAction:
        return self.log.metadata

    @property
    def mode(self) -> str:
        return mapping_mode(self.log.metadata, self.log.protocol)

    @property
    def rules(self) -> TargetRules:
        return DELTA_RULES

    @property
    def state(self) -> int | None:
        return self.log.version

    @property
    def frame(self) -> tuple[object, object, object]:
        return self._schema, self.metadata.partition_by, self.mode

    @property
    def _schema(self) -> tuple[object, ...]:
        return tuple((one.names, one.stored, one.type, one.nullable) for one in self.columns)

    @property
    def schema_in_words(self) -> str:
        kinds = (f"{one.path}: {one.type}{'' if one.nullable else ' not null'}" for one in self.columns)
        return f"struct<{', '.join(kinds)}>"

    @property
    def partitioned_in_words(self) -> str:
        return f"[{', '.join(self.metadata.partition_by)}]"

    @property
    def field_ids(self) -> Mapping[str, int]:
        """Of column mapping, or the places in the schema: without it, no column can be renamed."""
        placed = enumerate(self.columns, start=1)
        return {one.path: place if self.mode == "none" or one.id is None else one.id for place, one in placed}

    @cached_property
    def _resolved_by(self) -> Mapping[str, int]:
        return {one.path: id_of(one, place, self.mode) for place, one in enumerate(self.columns, start=1)}

    @property
    def struct_fields(self) -> tuple[str, ...]:
        """Without partition columns that are generated: they are how the table is partitioned."""
        derived = derived_partitions(self.columns, self.metadata.partition_by)
        return tuple(one.path for one in self.columns if one.path not in derived)

    @property
    def partitions_first(self) -> bool:
        return True

    @property
    def last_synced(self) -> Synced | None:
        return synced_in(self.metadata.settings.get(PROPERTY, ""))

    @property
    def metadata_files(self) -> list[str]:
        return [f"{self.root}/{LOG}/{name}" for name in self.log.files]

    @property
    def statistics_files(self) -> list[str]:
        return []

    @property
    def earlier(self) -> tuple[str, ...]:
        """The version before alone."""
        before = DeltaVersion(self.root, self.log.version).before
        return () if before is None else (before.location,)

    def type_of(self, column: str) -> str:
        return next(one.type for one in self.columns if one.path == column)

    def name_mapping(self, metadata_location: str) -> NameMapping | None:
        """By the ids of files in mode `id`, by names in every other, whatever ids the files have."""
        if self.mode == "id":
            return {}
        return OnlyNames(_mapped(self.columns, self._resolved_by, ()))

    def row_fields(self, without: Collection[str]) -> tuple[RowField, ...]:
        fields = row_fields(self.metadata.schema_string, self._resolved_by)
        return tuple(field for field in fields if field.name not in without)

    def wanted(self, stored: StoredMetrics) -> Wanted:
        return Wanted(tuple(leaf.column for leaf in stored.leaves))

    def with_deletes(self, objects: Objects, files: DataFiles, deletions: Deletions) -> DataFiles:
        """As they are: `StoredMetrics.data_files` have their deletion vectors."""
        return files


def mapping_mode(metadata: MetadataAction, protocol: ProtocolAction | None) -> str:
    """The mode of column mapping, which counts only where the protocol has the feature."""
    version = protocol.min_reader_version if protocol is not None else 1
    features = (protocol.reader_features or ()) if protocol is not None else ()
    return metadata.settings.get(MODE, "none") if version == 2 or FEATURE in features else "none"


def with_stored_names(columns: Sequence[DeltaColumn], mode: str) -> tuple[DeltaColumn, ...]:
    """The columns with the names that files and statistics have in this mode."""
    return tuple(one if mode != "none" else replace(one, stored=one.names) for one in columns)


def id_of(column: DeltaColumn, place: int, mode: str) -> int:
    """By which the column is found in files: names stand for places in the schema unless the mode is `id`."""
    return column.id if mode == "id" and column.id is not None else place


def _mapped(columns: Sequence[DeltaColumn], ids: Mapping[str, int], around: tuple[str, ...]) -> dict[str, Mapped]:
    """The columns directly below `around`, and all below them, by their stored names."""
    depth = len(around)
    return {
        one.stored[-1]: Mapped(ids[one.path], _mapped(columns, ids, one.names) if one.type == "struct" else {})
        for one in columns
        if len(one.names) == depth + 1 and one.names[:depth] == around
    }


def delta_of(stored: StoredMetrics) -> DeltaTable:
    """The table as Delta has it."""
    assert isinstance(stored.native, DeltaTable), f"{stored.metadata_location} is no Delta table"
    return stored.native

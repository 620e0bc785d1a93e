"""What claims see of a table: the stored metrics of each live data file, in terms of no format."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.model.columns import Leaf, RowField
from xtable_audit.model.objects import Objects
from xtable_audit.model.result import SetAside
from xtable_audit.model.scalars import Mask
from xtable_audit.model.scan_input import DataFiles, NameMapping, Wanted
from xtable_audit.model.target_rules import TargetRules
from xtable_audit.table.deletions import NO_DELETIONS, PARQUET, Deletions
from xtable_audit.table.optional_metrics import ALL_REQUIRED, OptionalMetrics
from xtable_audit.table.partitions import Partitioning, TransformKind
from xtable_audit.table.synced import Synced


class Native(Protocol):
    """The table as its own format has it. The format's own claims know which class it is."""

    @property
    def rules(self) -> TargetRules:
        """What the format rules where formats differ."""

    @property
    def state(self) -> int | None:
        """The id of the state, which tells it from others: Iceberg's snapshot, Delta's version; None if it has none."""

    @property
    def frame(self) -> tuple[object, object, object]:
        """What the entries of files are read by: the schema, how the table is partitioned, how names are mapped."""

    @property
    def schema_in_words(self) -> str: ...

    @property
    def partitioned_in_words(self) -> str: ...

    @property
    def field_ids(self) -> Mapping[str, int]:
        """The id of each field at any depth, by its dotted path; a renamed field keeps it."""

    @property
    def struct_fields(self) -> tuple[str, ...]:
        """The dotted path of each column and of each field of a struct, structs before their fields."""

    @property
    def partitions_first(self) -> bool:
        """Whether a reader takes the value of an identity partition also where the file holds the column."""

    @property
    def last_synced(self) -> Synced | None:
        """The commit that XTable continues after, by the table's own property."""

    @property
    def earlier(self) -> tuple[str, ...]:
        """Metadata locations of earlier states, oldest first: those that are known, the one before among them."""

    @property
    def metadata_files(self) -> list[str]:
        """The files besides the first that a planner reads of the current state."""

    @property
    def statistics_files(self) -> list[str]:
        """The files of statistics that a reader may read."""

    def type_of(self, column: str) -> str:
        """The type of a column, in the format's words."""

    def name_mapping(self, metadata_location: str) -> NameMapping | None:
        """Resolves columns of files without field ids; None if names do. Raises Malformed if it cannot be parsed."""

    def row_fields(self, without: Collection[str]) -> tuple[RowField, ...]:
        """The columns that rows are read by, but for those of these names."""

    def wanted(self, stored: StoredMetrics) -> Wanted:
        """Everything that claims compare in data files."""

    def with_deletes(self, objects: Objects, files: DataFiles, deletions: Deletions) -> DataFiles:
        """The files with their row-level deletes. Raises Malformed."""


@dataclass(frozen=True)
class StoredMetrics:
    """What the metadata claims, one row per live data file.

    `files`: path, format (`PARQUET`, …), size, record_count, spec_id, manifest, sort_order (null if there is none),
    encrypted (bool), split_offsets (a list; null if there are none). If the format's metrics are of the rows that a
    deletion vector leaves, also vector (`model.wanted.VECTOR`; null for none).
    `partitionings`: the current partition spec, then each other spec with live files.
    `columns`: for each leaf column a table lower, upper (typed), value_count, null_count, nan_count (int64),
    rows in the order of `files`; null if the metadata stores no value.
    `delete_files`: number of live delete files: position, equality or deletion vectors.
    """

    metadata_location: str
    native: Native
    leaves: tuple[Leaf, ...]
    files: pa.Table
    partitionings: tuple[Partitioning, ...]
    columns: Mapping[str, pa.Table]
    delete_files: int
    deletions: Deletions = NO_DELETIONS
    set_aside: tuple[SetAside, ...] = ()
    """The columns, partition fields and files that claims do not apply to."""
    columns_set_aside: frozenset[str] = frozenset()
    """Top-level columns that are set aside or contain a field that is."""
    column_sizes: Mapping[str, pa.ChunkedArray] = dataclasses.field(default_factory=dict)
    """For each leaf column, its bytes in each file (int64), in the order of `files`; null if none are stored."""
    undecodable: Mapping[str, pa.Array] = dataclasses.field(default_factory=dict)
    """For each leaf column with a bound that is no value of its type, why, in the order of `files`; null where it is
    one. Such a bound is null in `columns`.
    """
    optional: OptionalMetrics = ALL_REQUIRED
    """What the format lets the metadata of single files leave out."""
    is_whole: bool = True
    """Whether all of the table's live files are here."""

    @property
    def partitioning(self) -> Partitioning:
        """The table's current partition spec."""
        return self.partitionings[0]

    @property
    def partition(self) -> pa.Table:
        """The tuples of the files written under the current spec: one column per field; null for other files."""
        return self.partitioning.tuples

    @property
    def older(self) -> tuple[Partitioning, ...]:
        """Each other spec with live files."""
        return self.partitionings[1:]

    def under(self, partitioning: Partitioning) -> Mask:
        """Marks the files written under that spec."""
        same: Mask = np.asarray(self.files["spec_id"]) == partitioning.id
        return same

    def only(self, those: Mask) -> StoredMetrics:
        """The same metadata with the entries of these files alone. Its manifests stay whole."""
        rows = pa.array(np.flatnonzero(those))

        def taken(tables: Mapping[str, pa.Table]) -> dict[str, pa.Table]:
            return {name: table.take(rows) for name, table in tables.items()}

        def tuples(table: pa.Table) -> pa.Table:
            return pa.table({name: table[name].take(rows) for name in table.column_names})

        each = (
            replace(
                one,
                tuples=tuples(one.tuples),
                summaries=taken(one.summaries),
                undecodable={name: words.take(rows) for name, words in one.undecodable.items()},
            )
            for one in self.partitionings
        )
        return replace(
            self,
            files=self.files.take(rows),
            partitionings=tuple(each),
            columns=taken(self.columns),
            column_sizes={name: sizes.take(rows) for name, sizes in self.column_sizes.items()},
            undecodable={name: words.take(rows) for name, words in self.undecodable.items()},
            optional=self.optional.take(rows),
            is_whole=self.is_whole and bool(those.all()),
        )

    @property
    def data_files(self) -> DataFiles:
        """The live files, each once, with the values of their identity partitions, which a reader uses for a column
        that the file lacks (spec, Column Projection). Raises Malformed if the name mapping cannot be parsed.
        """
        constants: dict[str, pa.Array] = {}
        for one in self.partitionings:
            mine = pa.array(self.under(one))
            for field, column in one.fields(self.leaves):
                if field.transform.kind is TransformKind.IDENTITY:
                    values = one.tuples[field.name].combine_chunks()
                    others = constants.get(column.path, _repeated(column, len(values)))
                    constants[column.path] = pc.if_else(mine, values, others)
        table = self.files.select(["path"]).append_column("is_parquet", self._is_read)
        table = table.append_column("order", self.files["sort_order"])
        if "vector" in self.files.column_names:
            table = table.append_column("vector", self.files["vector"])
        if constants:
            structs = pa.StructArray.from_arrays(list(constants.values()), list(constants))
            table = table.append_column("constants", structs)
        last = {path: place for place, path in enumerate(self.paths)}
        mapping = self.native.name_mapping(self.metadata_location)
        return DataFiles(table.take(pa.array(last.values(), pa.int64())), mapping=mapping)

    @property
    def _is_read(self) -> pa.ChunkedArray:
        return pc.and_not(pc.equal(self.files["format"], PARQUET), self.files["encrypted"])

    @property
    def files_set_aside(self) -> frozenset[str]:
        return frozenset(one.path for one in self.set_aside if one.path is not None)

    @property
    def all_files(self) -> list[str]:
        """Every file that a reader may read of the current snapshot."""
        deletes = (one.path for one in self.deletions.files)
        native = self.native
        return [self.metadata_location, *native.metadata_files, *self.paths, *deletes, *native.statistics_files]

    @property
    def paths(self) -> list[str]:
        paths: list[str] = self.files["path"].to_pylist()
        return paths

    @cached_property
    def rows(self) -> Mapping[str, list[int]]:
        """The rows of each path in `files`: more than one if it is listed more than once."""
        return _places(self.paths)

    @cached_property
    def rows_of_manifests(self) -> Mapping[str, list[int]]:
        """The rows of `files` that each manifest has."""
        return _places(self.files["manifest"].to_pylist())


def _places(names: Iterable[str]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        places.setdefault(name, []).append(place)
    return places


def _repeated(column: Leaf, rows: int) -> pa.Array:
    return pa.nulls(rows, column.arrow) if column.default is None else pa.repeat(column.default, rows)

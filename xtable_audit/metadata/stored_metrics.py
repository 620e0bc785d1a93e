"""Stored metrics of each live data file in the table's current snapshot.

They come straight from metadata.json, manifest list and manifests (Iceberg spec, Manifests and Snapshots), not from a
reader that may drop files: PyIceberg's scan drops entries whose `record_count` is 0.
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pydantic
from pyiceberg.exceptions import ValidationError
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema, make_compatible_name
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import PrimitiveType

from xtable_audit.metadata.as_written import NOT_READ, AsWritten
from xtable_audit.metadata.delete_scope import NO_DELETIONS, Deletions, apply
from xtable_audit.metadata.deletes import (
    KEY_METADATA,
    PARQUET,
    DeleteFile,
    delete_files,
    tuples,
)
from xtable_audit.metadata.demanded import demand_what_java_does, leave_inline_manifests
from xtable_audit.metadata.manifests import NO_METRICS, Manifest, Manifests, read_manifest_list
from xtable_audit.metadata.manifests_together import MOST, in_groups, read_group
from xtable_audit.metadata.metric_maps import BOUNDS, COUNTS, MAPS, SIZES, by_field, column_of
from xtable_audit.metadata.name_mapping import name_mapping
from xtable_audit.metadata.single_value import Undecodable, decode
from xtable_audit.metadata.statistics import Listed, listed_statistics
from xtable_audit.metadata.summaries import read_summaries
from xtable_audit.metadata.table_json import read_table_json
from xtable_audit.metadata.types import replace_unknown_types
from xtable_audit.model.columns import Leaf, arrow_type, leaves, not_judged
from xtable_audit.model.malformed import Malformed, Outside, first_line
from xtable_audit.model.objects import Objects
from xtable_audit.model.set_aside import SetAside
from xtable_audit.model.wanted import DataFiles

if TYPE_CHECKING:
    from pyiceberg.table.metadata import TableMetadata

SPLIT_OFFSETS = "split_offsets"
Mask = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True)
class Partitioning:
    """A partition spec, and the tuples and summaries of the files written under it."""

    spec: PartitionSpec
    tuples: pa.Table
    """One column per field, named as the field; null for files of other specs."""
    summaries: Mapping[str, pa.Table]

    def fields(self, leaves: tuple[Leaf, ...]) -> Iterator[tuple[PartitionField, Leaf]]:
        """The judged fields, each with its source column."""
        by_id = {leaf.field_id: leaf for leaf in leaves}
        for field in self.spec.fields:
            if field.source_id in by_id:
                yield field, by_id[field.source_id]


@dataclass(frozen=True)
class StoredMetrics:
    """What the metadata claims, one row per live data file.

    `files`: path, format (`PARQUET`, …), size, record_count, spec_id, manifest, sort_order (null if there is none),
    encrypted (bool), split_offsets (a list; null if there are none).
    `partition`: one column per field of the current spec, named as the field; no columns if unpartitioned.
    Null for a file of another spec.
    `summaries`: per partition field, the manifest list's summary of the file's manifest (see `read_summaries`).
    `older`: tuples and summaries for each other spec with live files.
    `columns`: for each leaf column a table lower, upper (typed), value_count, null_count, nan_count (int64),
    rows in the order of `files`; null if the metadata stores no value.
    `delete_files`: number of live delete files: position, equality or deletion vectors.
    """

    metadata_location: str
    metadata: TableMetadata
    leaves: tuple[Leaf, ...]
    files: pa.Table
    partition: pa.Table
    summaries: Mapping[str, pa.Table]
    columns: Mapping[str, pa.Table]
    delete_files: int
    deletions: Deletions = NO_DELETIONS
    older: tuple[Partitioning, ...] = ()
    set_aside: tuple[SetAside, ...] = ()
    """The columns, partition fields and files that claims do not apply to."""
    manifests: tuple[Manifest, ...] = ()
    """Those of the current snapshot, in the order of the manifest list."""
    column_sizes: Mapping[str, pa.ChunkedArray] = dataclasses.field(default_factory=dict)
    """For each leaf column, its bytes in each file (int64), in the order of `files`; null if none are stored."""
    undecodable: Mapping[str, pa.Array] = dataclasses.field(default_factory=dict)
    """For each leaf column with a bound that is no value of its type, why, in the order of `files`; null where it is
    one. Such a bound is null in `columns`.
    """
    statistics: tuple[Listed, ...] = ()
    partition_statistics: tuple[Listed, ...] = ()
    as_written: AsWritten = NOT_READ
    """How metadata.json is written."""

    @property
    def schema(self) -> Schema:
        return self.metadata.schema()

    @property
    def spec(self) -> PartitionSpec:
        return self.metadata.spec()

    @property
    def of_current_spec(self) -> Mask:
        """Marks the files written under the table's current spec, whose tuples `partition` holds."""
        return self.under(self.spec)

    @property
    def partitionings(self) -> tuple[Partitioning, ...]:
        """The current spec, then each other spec with live files."""
        return Partitioning(self.spec, self.partition, self.summaries), *self.older

    def under(self, spec: PartitionSpec) -> Mask:
        """Marks the files written under that spec."""
        same: Mask = np.asarray(self.files["spec_id"]) == spec.spec_id
        return same

    def only(self, those: Mask) -> StoredMetrics:
        """The same metadata with the entries of these files alone. Its manifests stay whole."""
        rows = pa.array(np.flatnonzero(those))

        def taken(tables: Mapping[str, pa.Table]) -> dict[str, pa.Table]:
            return {name: table.take(rows) for name, table in tables.items()}

        def tuples(table: pa.Table) -> pa.Table:
            return pa.table({name: table[name].take(rows) for name in table.column_names})

        older = (replace(one, tuples=tuples(one.tuples), summaries=taken(one.summaries)) for one in self.older)
        return replace(
            self,
            files=self.files.take(rows),
            partition=tuples(self.partition),
            summaries=taken(self.summaries),
            columns=taken(self.columns),
            older=tuple(older),
            column_sizes={name: sizes.take(rows) for name, sizes in self.column_sizes.items()},
            undecodable={name: words.take(rows) for name, words in self.undecodable.items()},
        )

    @property
    def data_files(self) -> DataFiles:
        """The live files, each once, with the values of their identity partitions, which a reader uses for a column
        that the file lacks (spec, Column Projection). Raises Malformed if the name mapping cannot be parsed.
        """
        constants: dict[str, pa.Array] = {}
        for one in self.partitionings:
            mine = pa.array(self.under(one.spec))
            for field, column in one.fields(self.leaves):
                if isinstance(field.transform, IdentityTransform):
                    values = one.tuples[field.name].combine_chunks()
                    others = constants.get(column.path, _repeated(column, len(values)))
                    constants[column.path] = pc.if_else(mine, values, others)
        table = self.files.select(["path"]).append_column("is_parquet", self._is_read)
        table = table.append_column("order", self.files["sort_order"])
        if constants:
            structs = pa.StructArray.from_arrays(list(constants.values()), list(constants))
            table = table.append_column("constants", structs)
        last = {path: place for place, path in enumerate(self.paths)}
        mapping = name_mapping(self.metadata, self.metadata_location)
        return DataFiles(table.take(pa.array(last.values(), pa.int64())), mapping=mapping)

    @property
    def _is_read(self) -> pa.ChunkedArray:
        return pc.and_not(pc.equal(self.files["format"], PARQUET), self.files["encrypted"])

    @property
    def columns_set_aside(self) -> frozenset[str]:
        """Top-level columns that are set aside or contain a field that is."""
        return frozenset(name for name, _ in not_judged(self.schema))

    @property
    def files_set_aside(self) -> frozenset[str]:
        return frozenset(one.path for one in self.set_aside if one.path is not None)

    @property
    def metadata_files(self) -> list[str]:
        """The files besides metadata.json that a planner reads of the current snapshot."""
        snapshot = self.metadata.current_snapshot()
        return [snapshot.manifest_list, *(one.path for one in self.manifests)] if snapshot else []

    @property
    def all_files(self) -> list[str]:
        """Every file that a reader may read of the current snapshot."""
        deletes = (one.path for one in self.deletions.files)
        statistics = (one.path for one in (*self.statistics, *self.partition_statistics))
        return [self.metadata_location, *self.metadata_files, *self.paths, *deletes, *statistics]

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


def read_stored_metrics(
    objects: Objects, metadata_location: str, at: Callable[[TableMetadata], TableMetadata] | None = None
) -> StoredMetrics:
    """The stored metrics of the table whose metadata.json is at `metadata_location`.

    `at` makes another snapshot the current one.

    Raises Malformed, naming the file, if a metadata file cannot be read or does not fit the schema.
    """
    if at is not None:
        return _stored_metrics(objects, metadata_location, at)
    return objects.kept(
        "stored metrics", "", [metadata_location], lambda watched: _stored_metrics(watched, metadata_location, None)
    )


def _stored_metrics(
    objects: Objects, metadata_location: str, at: Callable[[TableMetadata], TableMetadata] | None
) -> StoredMetrics:
    read = _read_metadata(objects, metadata_location)
    metadata = at(read.metadata) if at else read.metadata
    columns = leaves(metadata.schema())
    snapshot = metadata.current_snapshot()
    if snapshot is None and metadata.current_snapshot_id is not None:
        raise Malformed(
            metadata_location,
            f"has no snapshot {metadata.current_snapshot_id}, which it calls its current one",
            effect="PyIceberg takes the table for empty (0.12, tried), and Iceberg's Java refuses it",
            silent=True,
        )
    tracked: list[Manifest] = []
    entries: list[pa.Table] = []
    typed: list[_Typed] = []
    deletes: list[DeleteFile] = []
    if snapshot is not None:
        if (why := objects.outside(snapshot.manifest_list)) is not None:
            raise Outside(metadata_location, f"names the manifest list {snapshot.manifest_list}, {why}")
        for some, metrics in _read(objects, columns, read_manifest_list(objects, snapshot.manifest_list)):
            tracked.extend(some.each)
            if some.are_of_data:
                entries.append(some.live)
                typed.append(metrics)
            else:
                deletes.extend(delete_files(some.live))
    manifests = [(manifest.listed, manifest.live.num_rows) for manifest in tracked if manifest.is_of_data]
    files = _files(entries)
    metrics = _together(columns, typed or [_typed(columns, by_field(NO_METRICS, _ids(columns)))])
    specs = metadata.specs()
    used = [spec for id, spec in specs.items() if id in set(files["spec_id"].to_pylist())]
    own, *older = (
        _partitioning(
            metadata, spec, columns, entries, manifests, snapshot.manifest_list if snapshot else metadata_location
        )
        for spec in (metadata.spec(), *(one for one in used if one.spec_id != metadata.spec().spec_id))
    )
    deletions = _deletions(deletes, entries, specs.values())
    aside = (
        *_columns_aside(metadata, read.unknown),
        *_fields_aside((own, *older), columns),
        *_files_aside(files, deletions),
    )
    return StoredMetrics(
        metadata_location,
        metadata,
        columns,
        files,
        own.tuples,
        own.summaries,
        {path: table.drop_columns(SIZES) for path, table in metrics.columns.items()},
        len(deletes),
        deletions,
        tuple(older),
        aside,
        tuple(tracked),
        {path: table[SIZES] for path, table in metrics.columns.items()},
        metrics.undecodable,
        listed_statistics(read.statistics.get("statistics") or (), metadata_location),
        listed_statistics(read.statistics.get("partition-statistics") or (), metadata_location),
        read.as_written,
    )


def _deletions(deletes: Sequence[DeleteFile], entries: Sequence[pa.Table], specs: Iterable[PartitionSpec]) -> Deletions:
    if not deletes:
        return NO_DELETIONS
    unpartitioned = frozenset(spec.spec_id for spec in specs if spec.is_unpartitioned())
    data = (
        file
        for entry in entries
        for file in zip(entry["file_path"].to_pylist(), entry["sequence"].to_pylist(), tuples(entry), strict=True)
    )
    return apply(deletes, data, unpartitioned)


def _columns_aside(metadata: TableMetadata, unknown: Mapping[int, str]) -> Iterator[SetAside]:
    for _, field in not_judged(metadata.schema()):
        path = metadata.schema().find_column_name(field.field_id)
        kind = unknown.get(field.field_id, str(field.field_type))
        yield SetAside(f"values of type {kind} are not judged", column=path)


def _fields_aside(partitionings: Iterable[Partitioning], columns: tuple[Leaf, ...]) -> Iterator[SetAside]:
    for one in partitionings:
        judged = {field.field_id for field, _ in one.fields(columns)}
        for field in one.spec.fields:
            if field.field_id not in judged:
                reason = (
                    f"partition field of spec {one.spec.spec_id} on a column that is not judged, or no longer there"
                )
                yield SetAside(reason, column=field.name)


ENCRYPTED = "is encrypted, by its key_metadata"


def _files_aside(files: pa.Table, deletions: Deletions) -> Iterator[SetAside]:
    others = files.filter(pc.or_(files["encrypted"], pc.not_equal(files["format"], PARQUET).fill_null(True)))
    told = (others[name].to_pylist() for name in ("path", "format", "encrypted"))
    for path, kind, encrypted in zip(*told, strict=True):
        if encrypted:
            yield SetAside(ENCRYPTED, path=path)
        elif kind != PARQUET:
            yield SetAside(f"files of format {kind} are not read", path=path)
    if all(one.is_known for one in deletions.files):
        return
    for path, applied in deletions.applied.items():
        for delete in applied:
            if not delete.is_known:
                name = delete.path.rpartition("/")[2]
                why = f"which {ENCRYPTED}" if delete.is_encrypted else f"whose format {delete.format} is not read"
                yield SetAside(f"has deletes in {name}, {why}", path=path)


def read_metadata(objects: Objects, metadata_location: str) -> TableMetadata:
    """The parsed metadata.json. Raises Malformed, also if the spec names a column that the schema lacks.

    Types that PyIceberg does not support become `unknown` in its schemas.
    """
    return _read_metadata(objects, metadata_location).metadata


STATISTICS = ("statistics", "partition-statistics")


@dataclass(frozen=True)
class _Read:
    """A parsed metadata.json."""

    metadata: TableMetadata
    unknown: Mapping[int, str]
    """The types that PyIceberg does not support, by field id."""
    statistics: Mapping[str, Any]
    """Unparsed: PyIceberg supports some types of blobs alone."""
    as_written: AsWritten


def _read_metadata(objects: Objects, metadata_location: str) -> _Read:
    from pyiceberg.table.metadata import TableMetadataUtil  # late: a collection reads no metadata

    try:
        text, raw, written = read_table_json(objects, metadata_location)
        leave_inline_manifests(metadata_location, raw)
        unknown = replace_unknown_types(raw)
        told = {name: raw.pop(name) for name in STATISTICS if raw.get(name)} if isinstance(raw, dict) else {}
        metadata = TableMetadataUtil.parse_raw(json.dumps(raw) if unknown or told else text)
        for field in metadata.spec().fields:
            metadata.schema().find_field(field.source_id)
        leaves(metadata.schema())
        demand_what_java_does(metadata)
    except (ValueError, TypeError, OverflowError, KeyError, AttributeError, RecursionError, ValidationError) as error:
        cause = error.__cause__ or error
        reason = cause.errors()[0]["msg"] if isinstance(cause, pydantic.ValidationError) else first_line(error)
        raise Malformed(metadata_location, f"is not Iceberg table metadata: {reason}") from error
    return _Read(metadata, unknown, told, written)


@dataclass(frozen=True)
class _Typed:
    """`columns` and `undecodable` of the stored metrics; each table has column_sizes too."""

    files: int
    columns: Mapping[str, pa.Table]
    undecodable: Mapping[str, pa.Array]


NOTHING = _Typed(0, {}, {})


def _read(
    objects: Objects, columns: tuple[Leaf, ...], listing: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[Manifests, _Typed]]:
    """The manifests, in order, without their metrics, which are typed: as many at once as there are cores."""
    ids = _ids(columns)
    cores = os.cpu_count() or 1

    def some(group: Sequence[Mapping[str, Any]]) -> list[tuple[Manifests, _Typed]]:
        return [
            (replace(read, metrics=NO_METRICS), _typed(columns, read.metrics) if read.are_of_data else NOTHING)
            for read in read_group(objects, group, ids)
        ]

    with ThreadPoolExecutor(cores) as pool:
        groups = in_groups(listing, min(MOST, 1 + len(listing) // (4 * cores)))
        yield from chain.from_iterable(pool.map(some, groups))


def _ids(columns: tuple[Leaf, ...]) -> list[int]:
    return [leaf.field_id for leaf in columns]


def _typed(columns: tuple[Leaf, ...], metrics: pa.Table) -> _Typed:
    typed, undecodable = {}, {}
    for leaf in columns:
        own = {name: metrics[column_of(name, leaf.field_id)].combine_chunks() for name in MAPS}
        raw = {side: own[name] for name, side in BOUNDS.items()}
        try:
            bounds = {side: decode(values, leaf.type) for side, values in raw.items()}
        except Undecodable:
            raw, undecodable[leaf.path] = _those_of_the_type(raw, leaf)
            bounds = {side: decode(values, leaf.type) for side, values in raw.items()}
        counts = {count: own[name] for name, count in COUNTS.items()}
        typed[leaf.path] = pa.table(bounds | counts | {SIZES: own[SIZES]})
    return _Typed(metrics.num_rows, typed, undecodable)


def _together(columns: tuple[Leaf, ...], typed: Sequence[_Typed]) -> _Typed:
    """The files of all manifests."""
    undecodable = {}
    for path in {path: None for one in typed for path in one.undecodable}:
        why = (one.undecodable.get(path, pa.nulls(one.files, pa.string())) for one in typed)
        undecodable[path] = pa.concat_arrays(list(why))
    tables = {leaf.path: pa.concat_tables([one.columns[leaf.path] for one in typed]) for leaf in columns}
    return _Typed(sum(one.files for one in typed), tables, undecodable)


def _files(entries: list[pa.Table]) -> pa.Table:
    """`files` of the stored metrics."""

    def scalars(name: str, target: pa.DataType) -> pa.ChunkedArray:
        parts = [pc.cast(e[name], target) for e in entries]
        return pa.chunked_array([c for p in parts for c in p.chunks], target)

    return pa.table(
        {
            "path": scalars("file_path", pa.string()),
            "format": pc.utf8_upper(scalars("file_format", pa.string())),
            "size": scalars("file_size_in_bytes", pa.int64()),
            "record_count": scalars("record_count", pa.int64()),
            "spec_id": scalars("spec_id", pa.int32()),
            "manifest": scalars("manifest", pa.string()),
            "sort_order": pa.concat_arrays([_sort_orders(entry) for entry in entries] or [pa.nulls(0, pa.int32())]),
            "encrypted": pa.concat_arrays([_encrypted(entry) for entry in entries] or [pa.array([], pa.bool_())]),
            "split_offsets": pa.concat_arrays([_split_offsets(entry) for entry in entries] or [pa.nulls(0, OFFSETS)]),
        }
    )


def _those_of_the_type(raw: Mapping[str, pa.Array], leaf: Leaf) -> tuple[dict[str, pa.Array], pa.Array]:
    """The bounds of a column without those that cannot be decoded, and why they cannot."""
    why: list[str | None] = [None] * len(next(iter(raw.values())))
    kept = {}
    for side, values in raw.items():
        left = values.to_pylist()
        for place, value in enumerate(left):
            try:
                decode(pa.array([value], pa.binary()), leaf.type)
            except Undecodable as error:
                left[place], why[place] = None, str(error)
        kept[side] = pa.array(left, pa.binary())
    return kept, pa.array(why, pa.string())


def _sort_orders(entry: pa.Table) -> pa.Array:
    if "sort_order_id" not in entry.column_names:
        return pa.nulls(entry.num_rows, pa.int32())
    return entry["sort_order_id"].cast(pa.int32()).combine_chunks()


OFFSETS = pa.list_(pa.int64())


def _split_offsets(entry: pa.Table) -> pa.Array:
    if SPLIT_OFFSETS not in entry.column_names:
        return pa.nulls(entry.num_rows, OFFSETS)
    return entry[SPLIT_OFFSETS].cast(OFFSETS).combine_chunks()


def _encrypted(entry: pa.Table) -> pa.Array:
    if KEY_METADATA not in entry.column_names:
        return pa.repeat(pa.scalar(False), entry.num_rows)
    return pc.is_valid(entry[KEY_METADATA]).combine_chunks()


def _partitioning(
    metadata: TableMetadata,
    spec: PartitionSpec,
    leaves: tuple[Leaf, ...],
    entries: Sequence[pa.Table],
    manifests: Sequence[tuple[Mapping[str, Any], int]],
    location: str,
) -> Partitioning:
    """The tuples of a spec's files, one typed column per judged field, and their summaries. Raises Malformed.

    Fields whose source column is dropped from the table or not judged are left out.
    """
    by_id = {leaf.field_id: leaf for leaf in leaves}
    columns, kinds = {}, {}
    for place, field in enumerate(spec.fields):
        if field.source_id not in by_id:
            continue
        result = field.transform.result_type(by_id[field.source_id].type)
        assert isinstance(result, PrimitiveType), f"{field} has tuples of {result}"
        kinds[field.name], target = (place, result), arrow_type(result)
        parts = []
        for entry in entries:
            values = _tuple_values(entry, spec, field.name)
            try:
                parts.append(pc.cast(values, target))
            except pa.ArrowException as error:
                reason = f"holds partition tuples that are no {target} for {field}: {first_line(error)}"
                raise Malformed(_first_unlike(entry, values, target), reason) from error
        columns[field.name] = pa.chunked_array(parts, target).combine_chunks() if parts else pa.nulls(0, target)
    return Partitioning(spec, pa.table(columns), read_summaries(spec.spec_id, kinds, location, manifests))


def _first_unlike(entry: pa.Table, values: pa.Array, target: pa.DataType) -> str:
    """The manifest of the first of these values that is not of the type."""
    for place, path in enumerate(entry["manifest"].to_pylist()):
        try:
            pc.cast(values.slice(place, 1), target)
        except pa.ArrowException:
            return str(path)
    return str(entry["manifest"][0])


def _tuple_values(entry: pa.Table, spec: PartitionSpec, name: str) -> pa.Array:
    """One field of a manifest's tuples; nulls if the field is absent or the manifest belongs to another spec.

    Avro names cannot hold dots: `st.level` is written `st_x2Elevel`.
    """
    if "partition" in entry.column_names and pc.all(pc.equal(entry["spec_id"], spec.spec_id)).as_py():
        tuples = entry["partition"].combine_chunks()
        for written in (make_compatible_name(name), name):
            if written in {field.name for field in tuples.type}:
                return pc.struct_field(tuples, written)
    return pa.nulls(entry.num_rows)

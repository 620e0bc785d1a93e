"""Reads the stored metrics of each live data file in the table's current snapshot.

They come straight from metadata.json, manifest list and manifests (Iceberg spec, Manifests and Snapshots), not from a
reader that may drop files: PyIceberg's scan drops entries whose `record_count` is 0.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NoReturn

import pyarrow as pa
import pyarrow.compute as pc
import pydantic
from pyiceberg.exceptions import ValidationError
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.schema import make_compatible_name
from pyiceberg.types import PrimitiveType

from xtable_audit.formats.iceberg.columns import arrow_type, leaves, not_judged, type_of
from xtable_audit.formats.iceberg.deletes import KEY_METADATA, delete_files, tuples
from xtable_audit.formats.iceberg.iceberg_table import IcebergTable
from xtable_audit.formats.iceberg.manifest_fields import BOUNDS, COUNTS, MAPS, SIZES, by_field, column_of, one_array
from xtable_audit.formats.iceberg.manifest_header import read_summaries
from xtable_audit.formats.iceberg.manifests import NO_METRICS, Manifest, Manifests, read_manifest_list
from xtable_audit.formats.iceberg.manifests_ahead import read_ahead
from xtable_audit.formats.iceberg.manifests_together import MOST, in_groups, read_group
from xtable_audit.formats.iceberg.metadata_json_types import AsWritten
from xtable_audit.formats.iceberg.single_value import Undecodable, decode
from xtable_audit.formats.iceberg.statistics import listed_statistics
from xtable_audit.formats.iceberg.table_json import (
    demand_what_java_does,
    leave_inline_manifests,
    read_table_json,
    replace_unknown_types,
)
from xtable_audit.formats.iceberg.transforms import field_of
from xtable_audit.model.columns import Leaf
from xtable_audit.model.malformed import Malformed, Outside, first_line, given_up
from xtable_audit.model.objects import Objects
from xtable_audit.model.result import SetAside
from xtable_audit.table.deletions import NO_DELETIONS, PARQUET, DeleteFile, Deletions, apply
from xtable_audit.table.partitions import Partitioning
from xtable_audit.table.stored_metrics import StoredMetrics

if TYPE_CHECKING:
    from pyiceberg.table.metadata import TableMetadata

SPLIT_OFFSETS = "split_offsets"


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
        "stored metrics", str, [metadata_location], lambda watched: _stored_metrics(watched, metadata_location, None)
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
    partitionings = tuple(
        _partitioning(
            metadata, spec, columns, entries, manifests, snapshot.manifest_list if snapshot else metadata_location
        )
        for spec in (metadata.spec(), *(one for one in used if one.spec_id != metadata.spec().spec_id))
    )
    deletions = _deletions(deletes, entries, specs.values())
    aside = (
        *_columns_aside(metadata, read.unknown),
        *_fields_aside(partitionings, columns),
        *_files_aside(files, deletions),
    )
    native = IcebergTable(
        metadata,
        tuple(tracked),
        listed_statistics(read.statistics.get("statistics") or (), metadata_location),
        listed_statistics(read.statistics.get("partition-statistics") or (), metadata_location),
        read.as_written,
    )
    return StoredMetrics(
        metadata_location,
        native,
        columns,
        files,
        partitionings,
        {path: table.drop_columns(SIZES) for path, table in metrics.columns.items()},
        len(deletes),
        deletions,
        aside,
        frozenset(name for name, _ in not_judged(metadata.schema())),
        {path: table[SIZES] for path, table in metrics.columns.items()},
        metrics.undecodable,
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
        judged = {field.id for field, _ in one.fields(columns)}
        for field in one.spec:
            if field.id not in judged:
                reason = f"partition field of spec {one.id} on a column that is not judged, or no longer there"
                yield SetAside(reason, column=field.name)


ENCRYPTED = "is encrypted, by its key_metadata"


def _files_aside(files: pa.Table, deletions: Deletions) -> Iterator[SetAside]:
    others = files.filter(pc.or_(files["encrypted"], pc.not_equal(files["format"], PARQUET).fill_null(True)))
    columns = (others[name].to_pylist() for name in ("path", "format", "encrypted"))
    for path, kind, encrypted in zip(*columns, strict=True):
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
class _ParsedMetadata:
    """A parsed metadata.json."""

    metadata: TableMetadata
    unknown: Mapping[int, str]
    """The types that PyIceberg does not support, by field id."""
    statistics: Mapping[str, Any]
    """Unparsed: PyIceberg supports some types of blobs alone."""
    as_written: AsWritten


def _read_metadata(objects: Objects, metadata_location: str) -> _ParsedMetadata:
    from pyiceberg.table.metadata import TableMetadataUtil  # late: a collection reads no metadata

    try:
        text, raw, written = read_table_json(objects, metadata_location)
        leave_inline_manifests(metadata_location, raw)
        unknown = replace_unknown_types(raw)
        statistics = {name: raw.pop(name) for name in STATISTICS if raw.get(name)} if isinstance(raw, dict) else {}
        metadata = TableMetadataUtil.parse_raw(json.dumps(raw) if unknown or statistics else text)
        for field in metadata.spec().fields:
            metadata.schema().find_field(field.source_id)
        leaves(metadata.schema())
        demand_what_java_does(metadata)
    except (ValueError, TypeError, OverflowError, KeyError, AttributeError, RecursionError, ValidationError) as error:
        cause = error.__cause__ or error
        reason = cause.errors()[0]["msg"] if isinstance(cause, pydantic.ValidationError) else first_line(error)
        raise Malformed(metadata_location, f"is not Iceberg table metadata: {reason}") from error
    return _ParsedMetadata(metadata, unknown, statistics, written)


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

    def some(contents: Mapping[str, bytes], group: Sequence[Mapping[str, Any]]) -> list[tuple[Manifests, _Typed]]:
        found = [
            (replace(read, metrics=NO_METRICS), _typed(columns, read.metrics) if read.are_of_data else NOTHING)
            for read in read_group(objects, group, ids, contents)
        ]
        pa.default_memory_pool().release_unused()  # else the thread keeps it: 30 MiB of 900 (docs/measured.md)
        return found

    def late(group: Sequence[Mapping[str, Any]], error: TimeoutError) -> NoReturn:
        given_up(group[0]["manifest_path"], error)

    for groups, contents in read_ahead(objects, in_groups(listing, min(MOST, 1 + len(listing) // (4 * cores)))):
        yield from chain.from_iterable(objects.each(partial(some, contents), groups, late, cores))


def _ids(columns: tuple[Leaf, ...]) -> list[int]:
    return [leaf.field_id for leaf in columns]


def _typed(columns: tuple[Leaf, ...], metrics: pa.Table) -> _Typed:
    typed, undecodable = {}, {}
    for leaf in columns:
        own = {name: one_array(metrics[column_of(name, leaf.field_id)]) for name in MAPS}
        raw = {side: own[name] for name, side in BOUNDS.items()}
        try:
            bounds = {side: decode(values, type_of(leaf)) for side, values in raw.items()}
        except Undecodable:
            raw, undecodable[leaf.path] = _those_of_the_type(raw, leaf)
            bounds = {side: decode(values, type_of(leaf)) for side, values in raw.items()}
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
                decode(pa.array([value], pa.binary()), type_of(leaf))
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
        result = field.transform.result_type(type_of(by_id[field.source_id]))
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
    fields = tuple(field_of(field, metadata.schema()) for field in spec.fields)
    summaries = read_summaries(spec.spec_id, kinds, location, manifests)
    return Partitioning(spec.spec_id, fields, pa.table(columns), summaries)


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

"""Iceberg metadata to evidence: what the table's current snapshot says about each live data file.

Read straight from metadata.json, manifest list and manifests (Iceberg spec, Manifests and Snapshots), never through a
reader that might leave files out (PyIceberg's scan drops entries whose `record_count` is 0).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pydantic
from pyiceberg.exceptions import ValidationError
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.schema import Schema, make_compatible_name
from pyiceberg.table.metadata import TableMetadata, TableMetadataUtil
from pyiceberg.transforms import IdentityTransform

from xtable_audit.metadata.manifests import live_entries, read_manifest_list
from xtable_audit.metadata.single_value import Undecodable, decode
from xtable_audit.metadata.summaries import read_summaries
from xtable_audit.model.columns import Leaf, arrow_type, leaves
from xtable_audit.model.malformed import Malformed, first_line
from xtable_audit.model.objects import Objects
from xtable_audit.model.wanted import DataFiles

DATA = 0


@dataclass(frozen=True)
class StoredMetrics:
    """What the metadata claims, one row per live data file.

    `files`: path, size, record_count, spec_id, manifest.
    `partition`: one column per field of the current spec, named as the field; empty table where unpartitioned.
    Null for a file of another spec.
    `summaries`: per partition field what the manifest list says of the file's manifest (see `read_summaries`).
    `columns`: for each leaf column a table lower, upper (typed), value_count, null_count, nan_count (int64),
    rows in the order of `files`; null where the metadata says nothing.
    `delete_files`: number of live position or equality delete files.
    """

    location: str
    metadata: TableMetadata
    leaves: tuple[Leaf, ...]
    files: pa.Table
    partition: pa.Table
    summaries: Mapping[str, pa.Table]
    columns: Mapping[str, pa.Table]
    delete_files: int

    @property
    def schema(self) -> Schema:
        return self.metadata.schema()

    @property
    def spec(self) -> PartitionSpec:
        return self.metadata.spec()

    @property
    def of_current_spec(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Which files were written under the table's own spec: those whose tuples `partition` holds."""
        same: np.ndarray[Any, np.dtype[np.bool_]] = np.asarray(self.files["spec_id"]) == self.spec.spec_id
        return same

    @property
    def data_files(self) -> DataFiles:
        """The live files, each once, with the values of their identity partitions: what a reader takes for a column
        that the file lacks (spec, Column Projection). None of files of another spec.
        """
        fields = {
            str(self.schema.find_column_name(field.source_id)): self.partition[field.name].combine_chunks()
            for field in self.spec.fields
            if isinstance(field.transform, IdentityTransform)
        }
        table = self.files.select(["path"])
        if fields:
            constants = pa.StructArray.from_arrays(list(fields.values()), list(fields))
            table = table.append_column("constants", constants)
        last = {path: place for place, path in enumerate(self.paths)}
        return DataFiles(table.take(list(last.values())))

    @property
    def paths(self) -> list[str]:
        paths: list[str] = self.files["path"].to_pylist()
        return paths


def read_stored_metrics(objects: Objects, location: str) -> StoredMetrics:
    """The evidence of the table whose metadata.json is at `location`.

    Raises Malformed, naming the file, where anything on the way cannot be read or does not fit the schema.
    """
    metadata = read_metadata(objects, location)
    columns = leaves(metadata.schema())
    snapshot = metadata.current_snapshot()
    if snapshot is None and metadata.current_snapshot_id is not None:
        raise Malformed(location, f"has no snapshot {metadata.current_snapshot_id}, which it calls its current one")
    entries, manifests, deletes = [], [], 0
    if snapshot is not None:
        for manifest in read_manifest_list(objects, snapshot.manifest_list):
            live = live_entries(objects, manifest)
            if manifest.get("content", DATA) == DATA:
                entries.append(live)
                manifests.append((manifest, live.num_rows))
            else:
                deletes += live.num_rows
    files, by_column = _assemble(columns, entries)
    tuples = _partition(metadata, entries)
    summaries = read_summaries(metadata, snapshot.manifest_list if snapshot else location, manifests)
    return StoredMetrics(location, metadata, columns, files, tuples, summaries, by_column, deletes)


def read_metadata(objects: Objects, location: str) -> TableMetadata:
    """The parsed metadata.json, whose spec names columns that there are. Raises Malformed."""
    content = objects.read(location)
    try:
        metadata = TableMetadataUtil.parse_raw(content.decode("utf-8"))
        for field in metadata.spec().fields:
            metadata.schema().find_field(field.source_id)
    except (ValueError, TypeError, KeyError, ValidationError) as error:
        cause = error.__cause__ or error
        reason = cause.errors()[0]["msg"] if isinstance(cause, pydantic.ValidationError) else first_line(error)
        raise Malformed(location, f"is not Iceberg table metadata: {reason}") from error
    return metadata


def _assemble(columns: tuple[Leaf, ...], entries: list[pa.Table]) -> tuple[pa.Table, dict[str, pa.Table]]:
    """`files` and `columns` of the evidence."""

    def scalars(name: str, target: pa.DataType) -> pa.Array:
        parts = [pc.cast(e[name], target) for e in entries]
        return pa.chunked_array([c for p in parts for c in p.chunks], target).combine_chunks()

    files = pa.table(
        {
            "path": scalars("file_path", pa.string()),
            "size": scalars("file_size_in_bytes", pa.int64()),
            "record_count": scalars("record_count", pa.int64()),
            "spec_id": scalars("spec_id", pa.int32()),
            "manifest": scalars("manifest", pa.string()),
        }
    )
    by_id = {name: _by_field_id(entries, name, files.num_rows) for name in COUNTS | BOUNDS}
    stored = {}
    for leaf in columns:
        uncounted, unbounded = pa.nulls(files.num_rows, pa.int64()), pa.nulls(files.num_rows, pa.binary())
        counts = {COUNTS[name]: by_id[name].get(leaf.field_id, uncounted) for name in COUNTS}
        try:
            bounds = {BOUNDS[name]: decode(by_id[name].get(leaf.field_id, unbounded), leaf.type) for name in BOUNDS}
        except Undecodable as error:
            raise Malformed(_culprit(files, by_id, leaf), f"holds {error}: column {leaf.path}") from error
        stored[leaf.path] = pa.table(bounds | counts)
    return files, stored


def _culprit(files: pa.Table, by_id: Mapping[str, Mapping[int, pa.Array]], leaf: Leaf) -> str:
    """The manifest with the first bound of the column that cannot be decoded."""
    for name in BOUNDS:
        for place, value in enumerate(by_id[name].get(leaf.field_id, ())):
            try:
                decode(pa.array([value.as_py()], pa.binary()), leaf.type)
            except Undecodable:
                return str(files["manifest"][place])
    raise ValueError(f"every bound of {leaf.path} can be decoded")


COUNTS = {"value_counts": "value_count", "null_value_counts": "null_count", "nan_value_counts": "nan_count"}
BOUNDS = {"lower_bounds": "lower", "upper_bounds": "upper"}


def _by_field_id(entries: list[pa.Table], name: str, rows: int) -> dict[int, pa.Array]:
    """A map column (`list<struct<key, value>>`) turned round: for each field id, one value or null per file."""
    value_type = pa.int64() if name in COUNTS else pa.binary()
    keys, values, places, offset = [], [], [], 0
    for entry in entries:
        if name in entry.column_names and not pa.types.is_null(entry[name].type):
            column = entry[name].combine_chunks()
            pairs = pc.list_flatten(column)
            keys.append(pc.struct_field(pairs, "key").cast(pa.int32()))
            values.append(pc.struct_field(pairs, "value").cast(value_type))
            places.append(np.asarray(pc.list_parent_indices(column)) + offset)
        offset += entry.num_rows
    if not any(map(len, keys)):
        return {}
    key = pa.chunked_array(keys).to_numpy()
    value = pa.chunked_array(values, value_type).combine_chunks()
    place = np.concatenate(places)
    order = np.argsort(key, kind="stable")
    ids, starts = np.unique(key[order], return_index=True)
    result = {}
    for field_id, mine in zip(ids, np.split(order, starts[1:]), strict=True):
        position = np.full(rows, -1)
        position[place[mine]] = mine
        result[int(field_id)] = value.take(pa.array(position, mask=position < 0))
    return result


def _partition(metadata: TableMetadata, entries: list[pa.Table]) -> pa.Table:
    """The partition tuples, one typed column per field of the current spec."""
    spec, schema = metadata.spec(), metadata.schema()
    columns = {}
    for field in spec.fields:
        target = arrow_type(field.transform.result_type(schema.find_type(field.source_id)))
        parts = []
        for entry in entries:
            values = _tuple_values(entry, spec, field.name)
            try:
                parts.append(pc.cast(values, target))
            except pa.ArrowException as error:
                reason = f"holds partition tuples that are no {target} for {field}: {first_line(error)}"
                raise Malformed(str(entry["manifest"][0]), reason) from error
        columns[field.name] = pa.chunked_array(parts, target).combine_chunks() if parts else pa.nulls(0, target)
    return pa.table(columns)


def _tuple_values(entry: pa.Table, spec: PartitionSpec, name: str) -> pa.Array:
    """One field of a manifest's tuples; nulls where they have no such field, or are tuples of another spec.

    Avro names hold no dots and the like: `st.level` is written `st_x2Elevel`.
    """
    if "partition" in entry.column_names and pc.all(pc.equal(entry["spec_id"], spec.spec_id)).as_py():
        tuples = entry["partition"].combine_chunks()
        for written in (make_compatible_name(name), name):
            if written in {field.name for field in tuples.type}:
                return pc.struct_field(tuples, written)
    return pa.nulls(entry.num_rows)

"""An Iceberg table as a source, with the facts that decide which findings it meets: metadata.json and manifests.

XTable takes files, statistics and partition values from the manifests alone, so no footer is read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING
from urllib.parse import quote

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg import types
from pyiceberg.transforms import BucketTransform, IdentityTransform, TimeTransform, TruncateTransform, VoidTransform

from xtable_audit.formats.configuration import Configuration
from xtable_audit.formats.folder import TableFolder, place_of
from xtable_audit.formats.footers import GREGORIAN, MILLISECOND, SECOND
from xtable_audit.formats.iceberg.iceberg_table import iceberg_of
from xtable_audit.formats.iceberg.manifests import read_manifest_list
from xtable_audit.formats.iceberg.metrics_modes import modes
from xtable_audit.formats.iceberg.source_state import history
from xtable_audit.formats.iceberg.stored_metrics import read_stored_metrics
from xtable_audit.formats.iceberg.table_json import metadata_below
from xtable_audit.formats.source import FactAnswer, ShownFact, SourceColumn, SourceTable, some, yes_if
from xtable_audit.model.columns import Leaf
from xtable_audit.model.figures import many
from xtable_audit.model.source_fact import ColumnFact, ColumnPlace, TableFact
from xtable_audit.table.optional_metrics import MetricsMode
from xtable_audit.table.stored_metrics import StoredMetrics

if TYPE_CHECKING:
    from pyiceberg.partitioning import PartitionField, PartitionSpec
    from pyiceberg.schema import Schema
    from pyiceberg.table.metadata import TableMetadata

TYPES: dict[type[types.IcebergType], str] = {
    types.BooleanType: "boolean", types.IntegerType: "int", types.LongType: "long", types.FloatType: "float",
    types.DoubleType: "double", types.DecimalType: "decimal", types.StringType: "string", types.BinaryType: "bytes",
    types.FixedType: "fixed", types.UUIDType: "fixed", types.DateType: "date", types.TimeType: "time",
    types.TimestamptzType: "timestamp", types.TimestampType: "timestamp_ntz",
}  # fmt: skip
REFUSED = frozenset(" ,;{}()\n\t=")
"""What the name of a column of a Delta table without column mapping may not have, by what its writers say."""
KEPT = 16
"""Characters that Iceberg's writers keep of a longer text by default (`truncate(16)`)."""
IN_URIS = "!$&'()*+,;=:@-._~/"
"""What the path of a URI has as it is, beside letters and digits (RFC 3986, Path)."""


def iceberg_table(folder: TableFolder, config: Configuration | None, footers: int) -> SourceTable:
    """Raises Problem if the folder holds no Iceberg table, Malformed for metadata that cannot be read.

    `config`, XTable's, decides nothing of an Iceberg table.
    """
    del config, footers
    location, _ = metadata_below(folder.objects, folder.root)
    stored = read_stored_metrics(folder.objects, location)
    table = _Table(folder, iceberg_of(stored).metadata, stored)
    return SourceTable(
        format="iceberg",
        location=folder.root,
        version=str(table.metadata.format_version),
        versioned="Iceberg format version",
        columns=tuple(table.columns()),
        settings=dict(table.metadata.properties),
        instants={},
        facts=dict(table.facts()),
        files=stored.files.num_rows,
        footers=0,
    )


@dataclass(frozen=True)
class _Table:
    """The table at its current snapshot, and what the metadata keeps of it before."""

    folder: TableFolder
    metadata: TableMetadata
    stored: StoredMetrics

    @cached_property
    def schema(self) -> Schema:
        return self.metadata.schema()

    @cached_property
    def spec(self) -> PartitionSpec:
        return self.metadata.spec()

    @cached_property
    def fields(self) -> Sequence[PartitionField]:
        """Those of the newest partition spec that partition the table."""
        return _partitioning(self.spec)

    def columns(self) -> Iterator[SourceColumn]:
        """The leaves outside lists and maps."""
        by_value = {one.source_id for one in self.fields if isinstance(one.transform, IdentityTransform)}
        for leaf in self.stored.leaves:
            place = ColumnPlace.STRUCT if "." in leaf.path else ColumnPlace.TOP
            place = ColumnPlace.PARTITION if leaf.field_id in by_value else place
            kind = TYPES.get(type(leaf.type), "other")  # type: ignore[arg-type]
            shown = dict(self._of_metrics(leaf)) | dict.fromkeys(self._of_bounds(leaf, kind), FactAnswer.YES)
            yield SourceColumn(leaf.path, kind, frozenset({place}), shown)

    def _of_metrics(self, leaf: Leaf) -> Iterator[tuple[ColumnFact, FactAnswer]]:
        """What metrics of the column a live file lacks. One without any may be of before the column came."""
        metrics, rows = self.stored.columns[leaf.path], self.stored.files["record_count"]
        nulls, nans = (pc.fill_null(metrics[count], 0) for count in ("null_count", "nan_count"))
        unbounded = pc.or_(pc.is_null(metrics["lower"]), pc.is_null(metrics["upper"]))
        older = pc.is_null(metrics["value_count"]) if self._came_later(leaf) else pa.repeat(False, len(rows))
        for fact, lacks in (
            (ColumnFact.NO_BOUNDS, pc.and_(unbounded, pc.greater(rows, pc.add(nulls, nans)))),
            (ColumnFact.NO_NULL_COUNT, pc.and_(pc.is_null(metrics["null_count"]), pc.greater(rows, 0))),
        ):
            if pc.any(lacks).as_py():
                yield fact, FactAnswer.YES if pc.any(pc.and_not(lacks, older)).as_py() else FactAnswer.OPEN

    def _came_later(self, leaf: Leaf) -> bool:
        """Whether a schema that the metadata keeps is without the column."""
        return any(schema.find_column_name(leaf.field_id) is None for schema in self.metadata.schemas)

    def _of_bounds(self, leaf: Leaf, kind: str) -> Iterator[ColumnFact]:
        """What the bounds show, file by file."""
        metrics = self.stored.columns[leaf.path]
        every = [one for side in ("lower", "upper") for one in metrics[side].to_pylist() if one is not None]
        match kind:
            case "timestamp" | "timestamp_ntz":
                yield from self._of_times(leaf.path)
            case "decimal":
                whole = leaf.arrow.precision - leaf.arrow.scale
                if any(abs(float(one)) >= float(10**whole) for one in every):
                    yield ColumnFact.DOUBLE_DIGITS
            case "string" if any(len(one) >= self._kept(leaf.path) for one in every):
                yield ColumnFact.MANIFEST_CUT

    def _kept(self, path: str) -> int:
        """How many characters of a bound the table's properties ask to keep."""
        mode = self._modes.get(path)
        return KEPT if mode is None or mode.length is None else mode.length

    @cached_property
    def _modes(self) -> Mapping[str, MetricsMode]:
        return modes(self.stored)

    def _of_times(self, path: str) -> Iterator[ColumnFact]:
        lowers, uppers = ([*_micros(self.stored.columns[path][side])] for side in ("lower", "upper"))
        if any(upper % SECOND >= MILLISECOND for upper in uppers):
            yield ColumnFact.MILLISECOND_PART
        if any(bound < GREGORIAN for bound in (*lowers, *uppers)):
            yield ColumnFact.BEFORE_1582
        if any(bound < 0 and bound % SECOND for bound in (*lowers, *uppers)):
            yield ColumnFact.BEFORE_1970

    def facts(self) -> Iterator[tuple[TableFact, ShownFact]]:
        yield TableFact.FIELD_IDS, yes_if(True)
        yield from self._of_schemas()
        yield from self._of_specs()
        yield TableFact.ROLLED_BACK, self._rolled_back()
        paths = (self._below(address) for address in self.stored.files["path"].to_pylist())
        yield TableFact.NO_URI_PATH, some(filter(_needs_encoding, paths), "paths such as ")
        kinds = {field.name: field.field_type for field in self.schema.fields}
        yield TableFact.MAP, some((name for name, kind in kinds.items() if isinstance(kind, types.MapType)), "map: ")
        yield TableFact.LIST, some((name for name, kind in kinds.items() if isinstance(kind, types.ListType)), "list: ")
        names = (name for name in self.schema.column_names if REFUSED.intersection(name))
        yield TableFact.NAME_REFUSED, some((repr(name) for name in names), "column ")
        deletes = self.stored.delete_files
        yield TableFact.DELETE_FILES, yes_if(deletes > 0, many(deletes, "delete file"))

    def _of_schemas(self) -> Iterator[tuple[TableFact, ShownFact]]:
        """By the schemas that the metadata keeps, oldest first."""
        schemas = sorted(self.metadata.schemas, key=lambda one: one.schema_id)
        names: dict[int, set[str]] = defaultdict(set)
        ids: dict[str, set[int]] = defaultdict(set)
        for schema in schemas:
            for field in schema.fields:
                names[field.field_id].add(field.name)
                ids[field.name].add(field.field_id)
        now = {field.field_id: field.name for field in self.schema.fields}
        renamed = (f"{old} to {new}" for id, new in now.items() for old in sorted(names[id] - {new}))
        yield TableFact.RENAMED, some(renamed)
        yield TableFact.ADDED_AGAIN, some(name for name in now.values() if len(ids[name]) > 1)
        types_of = [{field.name: str(field.field_type) for field in schema.fields} for schema in schemas]
        changed = (
            name
            for old, new in pairwise(types_of)
            for name in sorted({*old} | {*new})
            if old.get(name) != new.get(name)
        )
        yield TableFact.SCHEMA_CHANGED, some(changed)
        yield TableFact.SCHEMA_AHEAD, self._ahead(now)

    def _ahead(self, now: Mapping[int, str]) -> ShownFact:
        snapshot = self.metadata.current_snapshot()
        known = {schema.schema_id: schema for schema in self.metadata.schemas}
        of = known.get(snapshot.schema_id) if snapshot is not None and snapshot.schema_id is not None else None
        if of is None:
            return ShownFact(FactAnswer.NO)
        then = {field.field_id: field.name for field in of.fields}
        return some(name for id, name in now.items() if then.get(id) != name)

    def _of_specs(self) -> Iterator[tuple[TableFact, ShownFact]]:
        specs = self.metadata.specs()
        used = {*self.stored.files["spec_id"].to_pylist()}
        older = sorted(used - {self.spec.spec_id})
        yield TableFact.OLDER_SPEC, some(f"spec {id}" for id in older)
        names = {id: {one.name for one in specs[id].fields} for id in older if id in specs}
        since = (f"{one.name}, not in spec {id}" for id in names for one in self.fields if one.name not in names[id])
        yield TableFact.FIELD_SINCE, some(since)
        yield TableFact.OTHER_FIELDS, some(self._by_other_columns())
        by_time = [one for one in self.fields if isinstance(one.transform, TimeTransform)]
        yield TableFact.SPEC_BY_TIME, some(f"{one.transform} of {self._source(one)}" for one in by_time)
        by_bucket = (one for one in self.fields if isinstance(one.transform, BucketTransform))
        yield TableFact.SPEC_BY_BUCKET, some(f"{one.transform} of {self._source(one)}" for one in by_bucket)
        cut = (one for one in self.fields if isinstance(one.transform, TruncateTransform))
        yield TableFact.SPEC_BY_TRUNCATE, some(f"{one.transform} of {self._source(one)}" for one in cut)
        null = (one.name for one in by_time if self._has_null(one))
        yield TableFact.NULL_BY_TIME, some(null, "null in ")

    def _by_other_columns(self) -> Iterator[str]:
        """The partition specs that are not by the columns of the newest, and under which files were written.

        A table may have specs that no file was ever under, as PyIceberg leaves that of before its first commit.
        """
        now = [*_sources(self.spec)]
        other = {id: one for id, one in self.metadata.specs().items() if [*_sources(one)] != now}
        for id in sorted(other.keys() & self._used() if other else ()):
            yield f"by {' and '.join(one.name for one in _partitioning(other[id])) or 'none'} in spec {id}"

    def _used(self) -> set[int]:
        """The specs under which the files of the snapshots are that the metadata keeps."""
        objects = self.folder.objects
        places = [one.manifest_list for one in self.metadata.snapshots if objects.outside(one.manifest_list) is None]
        return {listed["partition_spec_id"] for place in places for listed in read_manifest_list(objects, place)}

    def _has_null(self, field: PartitionField) -> bool:
        """Whether a live file of the newest spec has a null for the field."""
        there = self.stored.partitioning
        under = pa.array(self.stored.under(there))
        return field.name in there.tuples.column_names and there.tuples[field.name].filter(under).null_count > 0

    def _source(self, field: PartitionField) -> str:
        return self.schema.find_column_name(field.source_id) or ""

    def _below(self, address: str) -> str:
        """The path of a file below the table; the address of one that is not there."""
        return place_of(address).removeprefix(f"{place_of(self.folder.root)}/")

    def _rolled_back(self) -> ShownFact:
        known = history(self.metadata)
        left = (entry.snapshot_id for entry in self.metadata.snapshot_log if entry.snapshot_id not in known)
        kept = {one.snapshot_id for one in self.metadata.snapshots}  # the log may name those that have expired
        return some((str(id) for id in left if id in kept), "from the snapshot ")


def _partitioning(spec: PartitionSpec) -> Sequence[PartitionField]:
    return [one for one in spec.fields if not isinstance(one.transform, VoidTransform)]


def _sources(spec: PartitionSpec) -> Iterator[int]:
    """The columns that the spec is by, by their ids."""
    return (one.source_id for one in _partitioning(spec))


def _micros(bounds: pa.ChunkedArray) -> Iterator[int]:
    yield from pc.drop_null(bounds).cast(pa.int64()).to_pylist()


def _needs_encoding(path: str) -> bool:
    """Whether a URI has the path below a table in another form. Java's URIs have what is beyond ASCII as it is."""
    return any(quote(one, safe=IN_URIS) != one for one in path if one.isascii())

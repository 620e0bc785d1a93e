"""Reads the manifest list and manifests into Arrow (Iceberg spec, Manifests and Manifest Lists)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.metadata.avro import parse_avro, parts_of
from xtable_audit.metadata.field_ids import OF_LIST, OF_MANIFEST, demand_ids
from xtable_audit.metadata.metric_maps import MAPS, by_field
from xtable_audit.model.malformed import Malformed, Outside, first_line
from xtable_audit.model.objects import Objects
from xtable_audit.model.printable import shortened

STATUSES = {"existing": 0, "added": 1, "deleted": 2}
"""Status of an entry, and its number."""
DATA = 0
"""Content of a data file, and of a manifest of data files."""
DELETES = 1
"""Content of a manifest of delete files."""
FILE_CONTENTS = (DATA, 1, 2)
"""Contents of a file: data, position deletes, equality deletes."""
DELETED = STATUSES["deleted"]
MANIFEST_FIELDS = ("manifest_path", "partition_spec_id")
FILE_FIELDS = ("file_path", "file_format", "record_count", "file_size_in_bytes")
"""Required in every format version. `partition` is required too, but read_avro drops empty ones."""


def read_manifest_list(objects: Objects, uri: str) -> list[dict[str, Any]]:
    """The records of a manifest list.

    Raises Malformed, also for a manifest that is listed twice, whose rows readers would count twice; Outside for one
    that may not be opened.
    """
    content = objects.read(uri)
    table = parse_avro(uri, content, objects.limits)
    _require(uri, "manifest list", MANIFEST_FIELDS, table.column_names)
    demand_ids(uri, content, OF_LIST)
    _refuse_twice(uri, table["manifest_path"].to_pylist())  # before the rest becomes Python: it may be long
    manifests: list[dict[str, Any]] = table.to_pylist()
    _refuse_twice(uri, [objects.path(str(listed["manifest_path"])) for listed in manifests])
    for listed in manifests:
        if listed.get("content", DATA) not in (DATA, DELETES):
            raise Malformed(
                uri, f"lists a manifest of content {listed['content']}, neither of data files nor of deletes"
            )
    _refuse_outside(objects, uri, "manifest", table["manifest_path"])
    return manifests


TRACKED = pa.schema(
    [
        *(("status", pa.int32()), ("snapshot_id", pa.int64()), ("sequence_number", pa.int64())),
        *(("content", pa.int32()), ("path", pa.string()), ("record_count", pa.int64()), ("size", pa.int64())),
    ]
)
"""What tracks a file. The snapshot id and the sequence number are null if they are inherited."""


NO_METRICS = pa.table({})


@dataclass(frozen=True)
class Manifest:
    """A manifest of the current snapshot."""

    listed: Mapping[str, Any]
    """Its record in the manifest list."""
    size: int
    """Of its object, in bytes."""
    entries: pa.Table
    """One row of TRACKED per entry, deleted ones too."""
    live: pa.Table
    """The live entries: the fields of `data_file`, and manifest, spec_id, sequence and snapshot, which added the file.
    `partition` is absent if the manifest's spec is unpartitioned, and so are the maps of a manifest of data files.
    """
    metrics: pa.Table
    """What the maps hold, with one row per live entry (see `metric_maps.by_field`)."""

    @property
    def path(self) -> str:
        return str(self.listed["manifest_path"])

    @property
    def is_of_data(self) -> bool:
        """Whether it lists data files."""
        return bool(self.listed.get("content", DATA) == DATA)


def read_manifest(objects: Objects, listed: Mapping[str, Any], ids: Collection[int] = ()) -> Manifest:
    """The manifest of this record of the manifest list, whatever that says of it. Raises Malformed.

    `ids`: the fields whose metrics are wanted of data files.
    """
    path = str(listed["manifest_path"])
    content = objects.read(path)
    parts = [_read_part(path, table, listed, ids) for table in parts_of(path, content, objects.limits)]
    demand_ids(path, content, OF_MANIFEST)
    whole = replace(
        parts[0],
        size=len(content),
        **{name: pa.concat_tables([getattr(part, name) for part in parts]) for name in ("entries", "live", "metrics")},
    )
    _refuse_outside(objects, path, "file", whole.live["file_path"])
    return whole


def _read_part(path: str, table: pa.Table, listed: Mapping[str, Any], ids: Collection[int]) -> Manifest:
    """The manifest as if these records were all it has, without its size."""
    _require(path, "manifest", ("status", "data_file"), table.column_names)
    live = table
    if pc.any(pc.equal(table["status"], DELETED)).as_py():
        live = table.filter(pc.not_equal(table["status"], DELETED))
    file = live["data_file"].combine_chunks()
    _refuse_names_twice(path, table.column_names)
    _refuse_names_twice(path, [field.name for field in file.type])
    fields = {field.name: pc.struct_field(file, field.name) for field in file.type}
    _require(path, "manifest", FILE_FIELDS, fields)
    if "content" in fields and (odd := set(pc.unique(fields["content"]).to_pylist()) - {*FILE_CONTENTS}):
        raise Malformed(path, f"holds a file of content {min(map(str, odd))}, which is none of {FILE_CONTENTS}")
    more = {
        "manifest": pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), live.num_rows), [path]),
        "spec_id": pa.repeat(pa.scalar(listed["partition_spec_id"], pa.int32()), live.num_rows),
        "sequence": _sequence_numbers(live, listed),
        "snapshot": _snapshots(live, listed),
    }
    if listed.get("content", DATA) != DATA:
        return Manifest(listed, 0, _copied(_tracked(table)), _copied(pa.table(fields | more)), NO_METRICS)
    try:
        metrics = by_field(pa.table(fields), ids)
    except pa.ArrowException as error:
        raise Malformed(path, f"holds metrics that cannot be read: {first_line(error)}") from error
    others = {name: values for name, values in fields.items() if name not in MAPS}
    return Manifest(listed, 0, _copied(_tracked(table)), _copied(pa.table(others | more)), metrics)


def _refuse_names_twice(path: str, names: Sequence[str]) -> None:
    if twice := [name for name, times in Counter(names).items() if times > 1]:
        raise Malformed(path, f"has {twice[0]!r} as a field twice")


def _copied(table: pa.Table) -> pa.Table:
    """The same rows in memory of their own. As long as one column of a decoded batch is kept, all of it is."""
    return table.take(pa.array(np.arange(table.num_rows)))


def _refuse_twice(uri: str, paths: Sequence[str]) -> None:
    for path, number in Counter(paths).most_common(1):
        if number > 1:
            raise Malformed(uri, f"lists the manifest {shortened(str(path), LONGEST)} {number:,} times")


def _refuse_outside(objects: Objects, uri: str, what: str, named: pa.Array | pa.ChunkedArray) -> None:
    if (found := objects.first_outside(named)) is not None:
        place, why = found
        address = shortened(str(named[place]), LONGEST)
        raise Outside(uri, f"names in entry {place + 1:,} the {what} {address}, {why}")


LONGEST = 150
"""Characters of an address in a message."""


def _tracked(table: pa.Table) -> pa.Table:
    rows, file = table.num_rows, table["data_file"]

    def of_entry(name: str) -> Any:
        return table[name].cast(pa.int64()) if name in table.column_names else pa.nulls(rows, pa.int64())

    def of_file(name: str, kind: pa.DataType) -> pa.ChunkedArray:
        return pc.struct_field(file, name).cast(kind)

    has_content = "content" in {field.name for field in file.type}  # format version 1 has only data files
    content = of_file("content", pa.int32()) if has_content else pa.repeat(pa.scalar(DATA, pa.int32()), rows)
    return pa.table(
        {
            "status": table["status"].cast(pa.int32()),
            "snapshot_id": of_entry("snapshot_id"),
            "sequence_number": of_entry("sequence_number"),
            "content": content,
            "path": of_file("file_path", pa.string()),
            "record_count": of_file("record_count", pa.int64()),
            "size": of_file("file_size_in_bytes", pa.int64()),
        },
        schema=TRACKED,
    )


def _sequence_numbers(live: pa.Table, manifest: Mapping[str, Any]) -> pa.Array:
    """Data sequence numbers. Entries without one inherit the manifest's (spec, Sequence Number Inheritance)."""
    inherited = pa.scalar(manifest.get("sequence_number") or 0, pa.int64())  # none in format version 1
    if "sequence_number" not in live.column_names:
        return pa.repeat(inherited, live.num_rows)
    return pc.fill_null(live["sequence_number"].cast(pa.int64()), inherited).combine_chunks()


def _snapshots(live: pa.Table, manifest: Mapping[str, Any]) -> pa.Array:
    """The snapshots that added the files. Entries without one inherit the manifest's (spec, Manifest Entry Fields)."""
    inherited = pa.scalar(manifest.get("added_snapshot_id"), pa.int64())
    if "snapshot_id" not in live.column_names:
        return pa.repeat(inherited, live.num_rows)
    return pc.fill_null(live["snapshot_id"].cast(pa.int64()), inherited).combine_chunks()


def file_count(listed: Mapping[str, Any], kind: str) -> int | None:
    """The number of `added`, `existing` or `deleted` files by the manifest list; None if it has none.

    Older Iceberg libraries, as in XTable 0.2 and 0.3, name the counts `…_data_files_count`.
    """
    count = listed.get(f"{kind}_files_count", listed.get(f"{kind}_data_files_count"))
    return None if count is None else int(count)


def _require(uri: str, what: str, needed: tuple[str, ...], present: Iterable[str]) -> None:
    missing = sorted(set(needed) - set(present))
    if missing:
        raise Malformed(uri, f"is not an Iceberg {what}: it has no {', '.join(missing)}")

"""Reads the manifest list and manifests into Arrow (Iceberg spec, Manifests and Manifest Lists)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.formats.iceberg.avro import parse_avro, parts_of, stored_schema
from xtable_audit.formats.iceberg.manifest_fields import MAPS, OF_LIST, OF_MANIFEST, by_field, demand_ids, one_array
from xtable_audit.formats.iceberg.manifest_header import NO_HEADER, ManifestHeader, header_of
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
    demand_ids(uri, stored_schema(content), OF_LIST)
    _refuse_twice(uri, table["manifest_path"].to_pylist())  # before the rest becomes Python: it may be long
    manifests: list[dict[str, Any]] = table.to_pylist()
    _refuse_twice(uri, [objects.path(str(listed["manifest_path"])) for listed in manifests])
    for listed in manifests:
        if listed.get("content", DATA) not in (DATA, DELETES):
            raise Malformed(
                uri, f"lists a manifest of content {listed['content']}, neither of data files nor of deletes"
            )
    refuse_outside(objects, uri, "manifest", table["manifest_path"])
    return manifests


TRACKED = pa.schema(
    [
        *(("status", pa.int32()), ("snapshot_id", pa.int64()), ("sequence_number", pa.int64())),
        *(("content", pa.int32()), ("path", pa.string()), ("record_count", pa.int64()), ("size", pa.int64())),
    ]
)
"""What tracks a file. The snapshot id and the sequence number are null if they are inherited."""


NO_METRICS = pa.table({})
Owner = np.ndarray[Any, np.dtype[np.int64]]
"""For each entry the number of its manifest."""


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
    header: ManifestHeader = NO_HEADER

    @property
    def path(self) -> str:
        return str(self.listed["manifest_path"])

    @property
    def is_of_data(self) -> bool:
        """Whether it lists data files."""
        return bool(self.listed.get("content", DATA) == DATA)


def entries_of(manifests: Sequence[Manifest]) -> tuple[pa.Table, Owner]:
    """The entries of all, and for each the place of its manifest."""
    entries = pa.concat_tables([TRACKED.empty_table(), *(one.entries for one in manifests)]).combine_chunks()
    return entries, np.repeat(np.arange(len(manifests)), [one.entries.num_rows for one in manifests])


@dataclass(frozen=True)
class Manifests:
    """Manifests of one content and partition spec, in the order of the list, which are read together."""

    each: tuple[Manifest, ...]
    """Each without metrics."""
    live: pa.Table
    """The live entries of all."""
    metrics: pa.Table
    """The same of them."""

    @property
    def are_of_data(self) -> bool:
        return self.each[0].is_of_data


def read_manifest(objects: Objects, listed: Mapping[str, Any], ids: Collection[int] = ()) -> Manifest:
    """The manifest of this record of the manifest list, whatever that says of it. Raises Malformed.

    `ids`: the fields whose metrics are wanted of data files.
    """
    path = str(listed["manifest_path"])
    return manifest_of(objects, listed, objects.read(path), ids)


def manifest_of(objects: Objects, listed: Mapping[str, Any], content: bytes, ids: Collection[int]) -> Manifest:
    """The same, by its content."""
    path = str(listed["manifest_path"])
    parts = [manifests_in(table, [listed], [table.num_rows], ids) for table in parts_of(path, content, objects.limits)]
    demand_ids(path, stored_schema(content), OF_MANIFEST)
    live, metrics = (pa.concat_tables([getattr(part, name) for part in parts]) for name in ("live", "metrics"))
    entries = pa.concat_tables([part.each[0].entries for part in parts])
    refuse_outside(objects, path, "file", live["file_path"])
    return Manifest(listed, len(content), entries, live, metrics, header_of(content))


def manifests_in(
    table: pa.Table, listing: Sequence[Mapping[str, Any]], counts: Sequence[int], ids: Collection[int]
) -> Manifests:
    """Manifests that have these records in turn, so many each, as if these were all they have; without their sizes.

    Raises Malformed, which names the first of them.
    """
    path = str(listing[0]["manifest_path"])
    _require(path, "manifest", ("status", "data_file"), table.column_names)
    live, owner = table, np.repeat(np.arange(len(listing)), counts)
    if pc.any(pc.equal(table["status"], DELETED)).as_py():
        kept = pc.not_equal(table["status"], DELETED)
        live, owner = table.filter(kept), owner[np.asarray(kept.fill_null(False))]
    file = one_array(live["data_file"])
    _refuse_names_twice(path, table.column_names)
    _refuse_names_twice(path, [field.name for field in file.type])
    fields = {field.name: pc.struct_field(file, field.name) for field in file.type}
    _require(path, "manifest", FILE_FIELDS, fields)
    if "content" in fields and (odd := set(pc.unique(fields["content"]).to_pylist()) - {*FILE_CONTENTS}):
        raise Malformed(path, f"holds a file of content {min(map(str, odd))}, which is none of {FILE_CONTENTS}")
    paths = [str(one["manifest_path"]) for one in listing]
    more = {
        "manifest": pa.DictionaryArray.from_arrays(pa.array(owner, pa.int32()), paths),
        "spec_id": pa.repeat(pa.scalar(listing[0]["partition_spec_id"], pa.int32()), live.num_rows),
        "sequence": _sequence_numbers(live, listing, owner),
        "snapshot": _snapshots(live, listing, owner),
    }
    metrics = NO_METRICS
    if listing[0].get("content", DATA) == DATA:
        try:
            metrics = by_field(pa.table(fields), ids)
        except pa.ArrowException as error:
            raise Malformed(path, f"holds metrics that cannot be read: {first_line(error)}") from error
        fields = {name: values for name, values in fields.items() if name not in MAPS}
    entries, live = _copied(_tracked(table)), _copied(pa.table(fields | more))
    firsts, lives = _bounds(counts), _bounds(np.bincount(owner, minlength=len(listing)))
    each = (
        Manifest(one, 0, entries.slice(*firsts[place]), live.slice(*lives[place]), NO_METRICS)
        for place, one in enumerate(listing)
    )
    return Manifests(tuple(each), live, metrics)


def _bounds(counts: Sequence[int] | Owner) -> list[tuple[int, int]]:
    """Where each begins, and how many it has."""
    return [(int(end - count), int(count)) for end, count in zip(np.cumsum(counts), counts, strict=True)]


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


def refuse_outside(objects: Objects, uri: str, what: str, named: pa.Array | pa.ChunkedArray) -> None:
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


def _sequence_numbers(live: pa.Table, listing: Sequence[Mapping[str, Any]], owner: Owner) -> pa.Array:
    """Data sequence numbers. Entries without one inherit the manifest's (spec, Sequence Number Inheritance)."""
    inherited = [one.get("sequence_number") or 0 for one in listing]  # none in format version 1
    return _inherited(live, "sequence_number", inherited, owner)


def _snapshots(live: pa.Table, listing: Sequence[Mapping[str, Any]], owner: Owner) -> pa.Array:
    """The snapshots that added the files. Entries without one inherit the manifest's (spec, Manifest Entry Fields)."""
    return _inherited(live, "snapshot_id", [one.get("added_snapshot_id") for one in listing], owner)


def _inherited(live: pa.Table, name: str, of_manifests: Sequence[int | None], owner: Owner) -> pa.Array:
    inherited = pa.array(of_manifests, pa.int64()).take(pa.array(owner))
    if name not in live.column_names:
        return inherited
    return pc.coalesce(live[name].cast(pa.int64()), inherited).combine_chunks()


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

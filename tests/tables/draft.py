"""A copy of a table whose metadata and data can be spoilt, file by file, in place, and what a fault in it is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Any

import fastavro
from pyiceberg.conversions import to_bytes

from tests.tables.healthy import Table, judged
from tests.tables.mirror import Mirror
from xtable_audit.formats.iceberg.columns import type_of
from xtable_audit.formats.iceberg.manifests import STATUSES, read_manifest, read_manifest_list
from xtable_audit.formats.iceberg.snapshot_summary import shown_changes, shown_totals
from xtable_audit.formats.iceberg.stored_metrics import read_metadata
from xtable_audit.model.columns import Leaf
from xtable_audit.model.finding import Verdict
from xtable_audit.model.predicate import Predicate
from xtable_audit.subject.case import Case

Record = dict[str, Any]

NOTHING: Mapping[str, str | None] = {}
KEPT_BY_WRITER = {"avro.schema", "avro.codec"}


@dataclass
class Draft:
    """Places are those of the healthy evidence: the order of the live entries."""

    table: Table
    mirror: Mirror
    values_changed: bool = False
    """Whether data files were touched, so that the actual values must be read again."""
    changes: list[Callable[[Case], Case]] = field(default_factory=list)
    """What is spoilt in the case itself: in the rows of its source, in its history."""

    @classmethod
    def of(cls, table: Table, folder: Path) -> Draft:
        return cls(table, table.mirror.copy(table.root, folder))

    def case(self) -> Case:
        known = None if self.values_changed else self.table.case.actual
        case = judged(self.table, self.mirror, known)
        return reduce(lambda spoilt, change: change(spoilt), self.changes, case)

    def leaf(self, column: str) -> Leaf:
        return next(leaf for leaf in self.table.case.stored.leaves if leaf.path == column)

    def path(self, place: int) -> str:
        return self.table.case.stored.paths[place]

    # metadata.json

    def metadata(self) -> Record:
        content: Record = json.loads(self.mirror.file(self.table.metadata_location).read_text(encoding="utf-8"))
        return content

    def change_metadata(self, change: Callable[[Record], object]) -> None:
        content = self.metadata()
        change(content)
        self.mirror.file(self.table.metadata_location).write_text(json.dumps(content), encoding="utf-8")

    def change_text(self, change: Callable[[str], str]) -> None:
        """Change what JSON cannot say of itself: a name that stands twice."""
        file = self.mirror.file(self.table.metadata_location)
        before = file.read_text(encoding="utf-8")
        file.write_text(change(before), encoding="utf-8")
        assert file.read_text(encoding="utf-8") != before

    @property
    def manifest_list(self) -> str:
        uri: str = current_snapshot(self.metadata())["manifest-list"]
        return uri

    # manifest list and manifests

    def manifests(self) -> list[Record]:
        return read_records(self.mirror.file(self.manifest_list))

    def change_manifests(self, change: Callable[[list[Record]], None]) -> None:
        records = self.manifests()
        change(records)
        write_records(self.mirror.file(self.manifest_list), records)

    def manifest_of(self, place: int) -> str:
        uri: str = self.table.case.stored.files["manifest"][place].as_py()
        return uri

    def change_entries(self, place: int, change: Callable[[list[Record]], None], *, counts_follow: bool = True) -> None:
        """Rewrite the manifest that holds this file. With `counts_follow` whatever sums up its entries follows: the
        manifest list, and the snapshot's summary.
        """
        self._rewrite(place, change)
        if counts_follow:
            self.change_manifests(self.count_manifests)
            self.sum_up()

    def _rewrite(self, place: int, change: Callable[[list[Record]], None]) -> None:
        file = self.mirror.file(self.manifest_of(place))
        entries = read_records(file)
        change(entries)
        write_records(file, entries)

    def headers_follow(self) -> None:
        """Puts the partition specs and schemas that metadata.json has into the headers of the manifests."""
        metadata = self.metadata()
        specs = {spec["spec-id"]: spec["fields"] for spec in metadata["partition-specs"]}
        schemas = {schema["schema-id"]: schema for schema in metadata["schemas"]}
        for listed in self.manifests():
            file, id = self.mirror.file(listed["manifest_path"]), listed["partition_spec_id"]
            schema = json.loads(header_of(file)["schema"])["schema-id"]
            told = {"partition-spec": specs[id], "partition-spec-id": id, "schema": schemas[schema]}
            change_header(file, {name: json.dumps(value) for name, value in told.items()})
        self.change_manifests(self.count_manifests)

    def measure_manifests(self, manifests: list[Record]) -> None:
        """What the manifest list says of lengths, as its manifests have them."""
        for listed in manifests:
            listed["manifest_length"] = self.mirror.file(listed["manifest_path"]).stat().st_size

    def count_manifests(self, manifests: list[Record]) -> None:
        """What the manifest list says of lengths and counts, as its manifests have them."""
        self.measure_manifests(manifests)
        for listed in manifests:
            entries = read_records(self.mirror.file(listed["manifest_path"]))
            for kind, status in STATUSES.items():
                mine = [entry["data_file"]["record_count"] for entry in entries if entry["status"] == status]
                files = f"{kind}_files_count" if f"{kind}_files_count" in listed else f"{kind}_data_files_count"
                listed |= {files: len(mine), f"{kind}_rows_count": sum(mine)}

    def sum_up(self) -> None:
        """What the summary of the snapshot says, as its manifests have it."""
        objects = self.mirror.objects
        metadata = read_metadata(objects, self.table.metadata_location)
        manifests = [read_manifest(objects, listed) for listed in read_manifest_list(objects, self.manifest_list)]
        shown = shown_totals(metadata, manifests) | shown_changes(metadata, manifests)

        def follow(metadata: Record) -> None:
            summary = current_snapshot(metadata)["summary"]
            summary.update({name: str(shown[name]) for name in summary.keys() & shown.keys()})

        self.change_metadata(follow)

    def change_file(self, place: int, change: Callable[[Record], None]) -> None:
        """Change what the manifest says about one data file (`data_file` of its entry)."""
        path = self.path(place)

        def one(entries: list[Record]) -> None:
            change(next(entry["data_file"] for entry in entries if entry["data_file"]["file_path"] == path))

        self.change_entries(place, one)

    def put(self, place: int, map_name: str, column: str, value: Any) -> None:
        """Set one column's bound (a typed value) or count in a metrics map; None takes it out."""
        leaf = self.leaf(column)
        if value is not None and map_name.endswith("bounds"):
            value = value if isinstance(value, Raw) else to_bytes(type_of(leaf), value)
        pair = (
            []
            if value is None
            else [{"key": leaf.field_id, "value": bytes(value) if isinstance(value, Raw) else value}]
        )

        path = self.path(place)

        def one(entries: list[Record]) -> None:
            file = next(entry["data_file"] for entry in entries if entry["data_file"]["file_path"] == path)
            file[map_name] = [p for p in file[map_name] or [] if p["key"] != leaf.field_id] + pair

        self._rewrite(place, one)
        self.change_manifests(self.measure_manifests)  # no count or sum is of a column


def current_snapshot(metadata: Record) -> Record:
    id = metadata["current-snapshot-id"]
    return next(snapshot for snapshot in metadata["snapshots"] if snapshot["snapshot-id"] == id)


class Raw(bytes):
    """Bytes to be written as a bound as they are."""


def read_records(file: Path) -> list[Record]:
    with file.open("rb") as stream:
        return list(_records(stream))


def _records(stream: Any) -> Iterator[Record]:
    for record in fastavro.reader(stream):
        assert isinstance(record, dict)
        yield record


def header_of(file: Path) -> dict[str, str]:
    with file.open("rb") as stream:
        return dict(fastavro.reader(stream).metadata)


def change_header(file: Path, told: Mapping[str, str | None]) -> None:
    """Other entries in an Avro file's header; None takes one out."""
    write_records(file, read_records(file), told=told)


def write_records(file: Path, records: list[Record], told: Mapping[str, str | None] = NOTHING, **blocks: Any) -> None:
    """Replace an Avro file's records, keeping its schema, its codec, and of its header what is not `told`."""
    header = header_of(file)
    kept = {
        name: value for name, value in {**header, **told}.items() if name not in KEPT_BY_WRITER and value is not None
    }
    with file.open("wb") as stream:
        fastavro.writer(
            stream,
            json.loads(header["avro.schema"]),
            records,
            header.get("avro.codec", "null"),
            metadata=kept,
            sync_marker=hashlib.md5(file.name.encode(), usedforsecurity=False).digest(),  # the same in each run
            **blocks,
        )


# A fault: what is spoilt in which healthy table, and exactly what the judge must say of it.

RECORDED = tuple(f"good_layout-{release}-incubating" for release in ("0.4.0", "0.3.0", "0.2.0"))
XTABLE = RECORDED[0]
SHOWN = ("shown", "keyed")
OF_DELETES = ("deleted", "vectors", "counted")
HEALTHY = ("typed", *OF_DELETES, *SHOWN, "spread", "history", "native_iceberg", "good_layout-control", *RECORDED)
NEGATIVE = ("bad_layout-0.4.0-incubating", "bad_layout-control")


@dataclass(frozen=True, eq=False)
class Fault:
    """`breaks` are the claims that must deviate, and no other may; `places` are files of the spoilt evidence."""

    id: str
    """Reads on from the table's name: `typed: lower bound of date raised`."""
    table: str
    spoil: Callable[[Draft], None]
    breaks: Mapping[str, Verdict]
    places: tuple[int, ...]
    column: str | None = None
    loses: Callable[[Draft], Predicate] | None = None
    """For UNSOUND metadata: a predicate whose rows a reader that trusts it does not find."""

    def __str__(self) -> str:
        return f"{self.table}: {self.id}"

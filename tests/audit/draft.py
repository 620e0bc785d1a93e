"""A copy of a table whose metadata and data can be spoilt, file by file, in place."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Any

import fastavro
from pyiceberg.conversions import to_bytes

from tests.audit.healthy import Table, judged
from tests.audit.mirror import Mirror
from xtable_audit.model.columns import Leaf
from xtable_audit.subject.case import Case

Record = dict[str, Any]

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

    @property
    def manifest_list(self) -> str:
        content = self.metadata()
        current = content["current-snapshot-id"]
        uri: str = next(s["manifest-list"] for s in content["snapshots"] if s["snapshot-id"] == current)
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
        """Rewrite the manifest that holds this file; with `counts_follow`, its counts in the manifest list too."""
        uri = self.manifest_of(place)
        entries = read_records(self.mirror.file(uri))
        before = len(entries)
        change(entries)
        write_records(self.mirror.file(uri), entries)

        def follow(manifests: list[Record]) -> None:
            for manifest in manifests:
                if manifest["manifest_path"] == uri:
                    manifest["manifest_length"] = self.mirror.file(uri).stat().st_size
                    manifest["added_files_count"] += len(entries) - before

        if counts_follow:
            self.change_manifests(follow)

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
            value = value if isinstance(value, Raw) else to_bytes(leaf.type, value)
        pair = (
            []
            if value is None
            else [{"key": leaf.field_id, "value": bytes(value) if isinstance(value, Raw) else value}]
        )

        def one(file: Record) -> None:
            file[map_name] = [p for p in file[map_name] or [] if p["key"] != leaf.field_id] + pair

        self.change_file(place, one)


class Raw(bytes):
    """Bytes to be written as a bound as they are."""


def read_records(file: Path) -> list[Record]:
    with file.open("rb") as stream:
        return list(_records(stream))


def _records(stream: Any) -> Iterator[Record]:
    for record in fastavro.reader(stream):
        assert isinstance(record, dict)
        yield record


def write_records(file: Path, records: list[Record], **blocks: Any) -> None:
    """Replace an Avro file's records, keeping its schema, codec and header."""
    with file.open("rb") as stream:
        header = dict(fastavro.reader(stream).metadata)
    kept = {name: value for name, value in header.items() if name not in KEPT_BY_WRITER}
    with file.open("wb") as stream:
        fastavro.writer(
            stream,
            json.loads(header["avro.schema"]),
            records,
            header.get("avro.codec", "null"),
            metadata=kept,
            **blocks,
        )

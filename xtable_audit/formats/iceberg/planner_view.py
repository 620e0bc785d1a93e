"""What planners read of a table's current state, but for ids and times: the same of two syncs that say the same.

A part that planners pass over is left out only where it is as writers leave it, since a planner may refuse the table
for it otherwise. In doubt there is no digest.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from xtable_audit.formats.iceberg.avro import parse_avro, read_header
from xtable_audit.formats.iceberg.iceberg_table import iceberg_of
from xtable_audit.formats.iceberg.manifest_fields import OF_LIST, OF_MANIFEST
from xtable_audit.formats.iceberg.table_json import read_table_json
from xtable_audit.model.kept_results import digest
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.objects import Objects
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.table.synced import PROPERTY

Record = Mapping[str, Any]

PASSED_OVER = frozenset(
    {
        *("table-uuid", "last-updated-ms", "last-sequence-number", "current-schema-id", "default-spec-id"),
        *("current-snapshot-id", "snapshots", "snapshot-log", "metadata-log", "refs"),
    }
)
"""Parts of metadata.json that are ids, times, or of other states."""
MAY_LACK = frozenset({"statistics", "partition-statistics"})
"""Lists that some writers leave out where they are empty."""
OF_SNAPSHOT = frozenset(
    {
        *("snapshot-id", "parent-snapshot-id", "sequence-number", "timestamp-ms"),
        *("summary", "manifest-list", "schema-id"),
    }
)
OPERATIONS = frozenset({"append", "replace", "overwrite", "delete"})
NO_COLUMNS: Record = {"type": "struct", "fields": []}
NO_FIELDS: Record = {"fields": []}
"""The schema and the spec that some writers begin a table with."""
SEQUENCE_NUMBERS = ("sequence_number", "min_sequence_number", "file_sequence_number")
SNAPSHOTS = ("added_snapshot_id", "snapshot_id")
HEADER_IDS = frozenset({"snapshot-id", "parent-snapshot-id", "sequence-number"})
SCHEMAS = ("avro.schema", "iceberg.schema")
LATER_IN_LIST, LATER_IN_MANIFEST = "key_metadata", "referenced_data_file"
"""A field that older libraries do not write and newer ones leave null: to every reader the same."""
RENAMED = {f"{kind}_data_files_count": f"{kind}_files_count" for kind in ("added", "existing", "deleted")}
"""Fields of the manifest list by their names in older libraries. Readers find them by id."""


class _InDoubt(Exception):
    """The metadata is not as writers leave it."""


def as_planned(objects: Objects, stored: StoredMetrics) -> str | None:
    """A digest of what planners read of the table, in any order of manifests and entries; None if its bytes decide.

    So they do where there are deletes, whose sequence numbers count.
    """
    written = iceberg_of(stored).as_written
    if stored.delete_files or written.misfits or written.repeated:
        return None
    try:
        table = _MetadataFile.of(read_table_json(objects, stored.metadata_location)[1])
        return digest(_text((_folder(stored.metadata_location), table.content(), _manifests(objects, table))))
    except (_InDoubt, Malformed, LookupError, TypeError, ValueError, AttributeError):
        return None


@dataclass(frozen=True)
class _MetadataFile:
    """A metadata.json."""

    raw: Record
    snapshot: Record
    schemas: Mapping[int, Record]
    specs: Mapping[int, Record]

    @classmethod
    def of(cls, raw: Record) -> _MetadataFile:
        snapshots = _by_id(raw["snapshots"], "snapshot-id")
        _demand(_is_usual(one, raw["last-sequence-number"]) for one in snapshots.values())
        current = raw["current-snapshot-id"]
        of_main = {"main": {"snapshot-id": current, "type": "branch"}}
        logs = (raw.get("snapshot-log", []), raw.get("metadata-log", []))
        _demand([raw.get("refs", of_main) == of_main, logs[0][-1:] == [] or logs[0][-1]["snapshot-id"] == current])
        for log in logs:
            times = [*(entry["timestamp-ms"] for entry in log), raw["last-updated-ms"]]
            _demand(before <= after for before, after in pairwise(times))
        schemas, specs = (
            {id: _without(one, of) for id, one in _by_id(raw[name], of).items()}
            for name, of in (("schemas", "schema-id"), ("partition-specs", "spec-id"))
        )
        return cls(raw, snapshots[current], schemas, specs)

    def content(self) -> Record:
        """Without the ids of schemas and specs, and without those that say nothing and are not the current ones."""
        top = _without(self.raw, *PASSED_OVER, *(name for name in MAY_LACK if self.raw.get(name) == []))
        properties = _without(self.raw.get("properties", {}), PROPERTY)
        return {
            **top,
            "properties": properties,
            "schemas": _sorted(one for one in self.schemas.values() if one != NO_COLUMNS),
            "partition-specs": _sorted(one for one in self.specs.values() if one != NO_FIELDS),
            "current schema": self.schemas[self.raw["current-schema-id"]],
            "default spec": self.specs[self.raw["default-spec-id"]],
            "schema of the snapshot": self.schemas.get(self.snapshot.get("schema-id", -1)),
        }


def _is_usual(snapshot: Record, newest: int) -> bool:
    summary = snapshot["summary"]
    return (
        snapshot.keys() <= OF_SNAPSHOT
        and isinstance(snapshot["manifest-list"], str)
        and 0 <= snapshot.get("sequence-number", 0) <= newest
        and isinstance(snapshot["timestamp-ms"], int)
        and summary["operation"] in OPERATIONS
        and all(isinstance(value, str) for value in summary.values())
    )


def _manifests(objects: Objects, table: _MetadataFile) -> tuple[Any, ...]:
    """The manifest list and its manifests."""
    uri = table.snapshot["manifest-list"]
    content = objects.read(uri)
    records = parse_avro(uri, content, objects.limits).to_pylist()
    later = _later(records, LATER_IN_LIST)
    header = _header(content, table, later, OF_LIST)
    each = [_manifest(objects, table, _without(one, later)) for one in records]
    return _folder(uri), header, _sorted(each)


def _manifest(objects: Objects, table: _MetadataFile, listed: Record) -> tuple[Any, ...]:
    uri = listed["manifest_path"]
    content = objects.read(uri)
    _demand([listed["manifest_length"] == len(content)])
    entries = parse_avro(uri, content, objects.limits).to_pylist()
    later = _later([entry["data_file"] for entry in entries], LATER_IN_MANIFEST)
    header = _header(content, table, later, OF_MANIFEST)
    record = {RENAMED.get(name, name): value for name, value in listed.items()}
    record |= {"partition_spec_id": table.specs[listed["partition_spec_id"]]}
    bare = _without(record, "manifest_path", "manifest_length")
    each = ({**entry, "data_file": _without(entry["data_file"], later)} for entry in entries)
    return _folder(uri), header, _but_for_ids(bare), _sorted(_but_for_ids(entry) for entry in each)


def _later(records: Iterable[Record], name: str) -> str:
    """The name, if no record has a value there; else nothing."""
    return "" if any(record.get(name) is not None for record in records) else name


def _but_for_ids(record: Record) -> Record:
    """Readers look whether there is an id, and whether a sequence number is 0, which is that of format version 1."""
    ids = {name: record[name] is not None for name in SNAPSHOTS if name in record}
    numbers = {name: record[name] for name in SEQUENCE_NUMBERS if name in record}
    _demand(number is None or number >= 0 for number in numbers.values())
    return {**record, **ids, **{name: number and "positive" for name, number in numbers.items()}}


def _header(content: bytes, table: _MetadataFile, later: str, ids: Mapping[str, int]) -> Record:
    """An Avro file's header, as if the field `later` were not there."""
    metadata = {name.decode(): value.decode() for name, value in read_header(content).metadata.items()}
    header: dict[str, Any] = _without(metadata, *HEADER_IDS)
    for name in SCHEMAS:
        if name in header:
            header[name] = _bare(json.loads(header[name]), (later, ids.get(later)))
    if "schema" in header:
        header["schema"] = _without(json.loads(header["schema"]), "schema-id")
    if "partition-spec-id" in header:
        header["partition-spec-id"] = table.specs[int(header["partition-spec-id"])]
    return header


def _bare(schema: Any, later: tuple[str, int | None]) -> Any:
    """A schema of Avro or Iceberg without docs, and without the field of this name and id."""
    if isinstance(schema, list):
        return [_bare(one, later) for one in schema if not (isinstance(one, dict) and _named(one) == later)]
    if not isinstance(schema, dict):
        return schema
    bare = {name: _bare(value, later) for name, value in schema.items() if name != "doc"}
    return bare | {"name": RENAMED.get(bare["name"], bare["name"])} if isinstance(bare.get("name"), str) else bare


def _named(field: Record) -> tuple[Any, Any]:
    return field.get("name"), field.get("field-id", field.get("id"))


def _by_id(records: Collection[Record], name: str) -> dict[int, Record]:
    by_id = {record[name]: record for record in records}
    _demand([len(by_id) == len(records)])
    return by_id


def _demand(usual: Iterable[bool]) -> None:
    if not all(usual):
        raise _InDoubt


def _without(record: Record, *names: str) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in names}


def _sorted(records: Iterable[Any]) -> list[str]:
    return sorted(map(_text, records))


def _text(value: Any) -> str:
    """Bytes, dates and decimals as Python writes them: schemas tell them from texts."""
    return json.dumps(value, sort_keys=True, default=repr)


def _folder(uri: str) -> str:
    return uri.rpartition("/")[0]

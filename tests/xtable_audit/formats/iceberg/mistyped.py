"""A metadata.json with every specified field, and copies of it in each of which one field is not what it should be."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from xtable_audit.formats.iceberg.metadata_json_fields import (
    BOOLEAN,
    INT,
    LONG,
    NESTED,
    STRING,
    STRUCT_WORD,
    TABLE,
    ColumnType,
    Field,
    Fields,
    Kind,
    ListOf,
    MapOf,
    Value,
)

Json = dict[str, Any]
Path = tuple[str | int, ...]
NO_VALUE = object()
PARTITION = {"source-id": 1, "field-id": 1000, "name": "id", "transform": "identity"}
COLUMNS: list[Json] = [
    {"id": 1, "name": "id", "required": True, "type": "long", "doc": "the key"},
    {
        "id": 2,
        "name": "places",
        "required": False,
        "type": {
            "type": "list",
            "element-id": 3,
            "element-required": True,
            "element": {"type": "struct", "fields": [{"id": 4, "name": "x", "required": False, "type": "double"}]},
        },
    },
    {
        "id": 5,
        "name": "names",
        "required": False,
        "type": {
            "type": "map",
            "key-id": 6,
            "key": "string",
            "value-id": 7,
            "value-required": False,
            "value": "decimal(9, 2)",
        },
    },
]
SCHEMA = {"type": "struct", "schema-id": 0, "identifier-field-ids": [1], "fields": COLUMNS}
SNAPSHOT = {
    "snapshot-id": 1 << 62,
    "sequence-number": 1,
    "timestamp-ms": 1_700_000_000_000,
    "manifest-list": "s3://bucket/table/metadata/snap.avro",
    "summary": {"operation": "append", "added-records": "3"},
    "schema-id": 0,
    "first-row-id": 0,
    "added-rows": 3,
}
STATISTICS = {"snapshot-id": 1 << 62, "statistics-path": "s3://bucket/table/metadata/s", "file-size-in-bytes": 9}
BLOB = {
    "type": "apache-datasketches-theta-v1",
    "snapshot-id": 1 << 62,
    "sequence-number": 1,
    "fields": [1],
    "properties": {"ndv": "3"},
}
VERSION_3: Json = {
    "format-version": 3,
    "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1",
    "location": "s3://bucket/table",
    "last-sequence-number": 2,
    "last-updated-ms": 1_700_000_001_000,
    "last-column-id": 7,
    "schemas": [SCHEMA],
    "current-schema-id": 0,
    "partition-specs": [{"spec-id": 0, "fields": [PARTITION]}],
    "default-spec-id": 0,
    "last-partition-id": 1000,
    "sort-orders": [
        {"order-id": 0, "fields": []},
        {
            "order-id": 1,
            "fields": [{"transform": "identity", "source-id": 1, "direction": "asc", "null-order": "nulls-first"}],
        },
    ],
    "default-sort-order-id": 1,
    "properties": {"owner": "somebody"},
    "current-snapshot-id": 7,
    "refs": {
        "main": {"snapshot-id": 7, "type": "branch", "min-snapshots-to-keep": 1, "max-snapshot-age-ms": 1 << 40},
        "kept": {"snapshot-id": 1 << 62, "type": "tag", "max-ref-age-ms": 1 << 40},
    },
    "snapshots": [
        SNAPSHOT,
        SNAPSHOT
        | {"snapshot-id": 7, "parent-snapshot-id": 1 << 62, "sequence-number": 2, "timestamp-ms": 1_700_000_001_000},
    ],
    "snapshot-log": [
        {"timestamp-ms": 1_700_000_000_000, "snapshot-id": 1 << 62},
        {"timestamp-ms": 1_700_000_001_000, "snapshot-id": 7},
    ],
    "metadata-log": [{"timestamp-ms": 1_700_000_000_000, "metadata-file": "s3://bucket/table/metadata/v1.json"}],
    "statistics": [STATISTICS | {"file-footer-size-in-bytes": 4, "blob-metadata": [BLOB]}],
    "partition-statistics": [STATISTICS],
    "next-row-id": 6,
}
NOT_IN_VERSION_1 = ("next-row-id", "last-sequence-number", "schemas", "current-schema-id", "partition-specs")
VERSION_1: Json = {
    **{name: value for name, value in VERSION_3.items() if name not in (*NOT_IN_VERSION_1, "default-spec-id")},
    "format-version": 1,
    "snapshots": [{**snapshot, "sequence-number": 0} for snapshot in VERSION_3["snapshots"]],
    "schema": SCHEMA,
    "partition-spec": [PARTITION],
}
HALF_NEW = {**VERSION_1, "schemas": [SCHEMA]}
HEALTHY = {"version 3": VERSION_3, "version 1": VERSION_1}
WRONG: Mapping[Kind, tuple[object, ...]] = {
    INT: ("7", 7.0, 1 << 31, -(1 << 31) - 1, True),
    LONG: ("7", 7.0, 1 << 63, -(1 << 63) - 1, 10**300),
    STRING: (7, False, {}),
    BOOLEAN: ("true", 1),
    STRUCT_WORD: ("structure", 7),
}
"""Java's parsers take none of these."""

LEGAL: dict[str, tuple[Path, Any]] = {
    "a field that is not specified": (("comment",), 7.5),
    "a field of a snapshot that is not specified": (("snapshots", 0, "by"), None),
    "no log": (("snapshot-log",), None),
    "no doc": (("schemas", 0, "fields", 0, "doc"), None),
    "no properties": (("properties",), NO_VALUE),
    "a partition field without an id": (("partition-specs", 0, "fields", 0, "field-id"), NO_VALUE),
    "a snapshot without a sequence number": (("snapshots", 0, "sequence-number"), NO_VALUE),
    "a snapshot without a schema": (("snapshots", 0, "schema-id"), None),
    "the largest long": (("refs", "kept", "max-ref-age-ms"), (1 << 63) - 1),
}
"""Java's parsers take all of these."""


def mistyped(healthy: Json) -> Iterator[tuple[str, Json]]:
    """Each with words of what is wrong."""
    for path, field in _fields(healthy, TABLE, ()):
        of = ".".join(map(str, path))
        for value in _wrong(field.kind):
            yield f"{of}: {value!r:.12}", changed(healthy, path, value)
        if not field.nullable:
            yield f"{of}: null", changed(healthy, path, None)
        if field.since is not None and field.since <= healthy["format-version"]:
            yield f"no {of}", changed(healthy, path, NO_VALUE)


def changed(healthy: Json, path: Path, value: object) -> Json:
    made: Json = json.loads(json.dumps(healthy))  # shares nothing, as a deep copy would
    holder: Any = made
    for part in path[:-1]:
        holder = holder[part]
    if value is NO_VALUE:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return made


def _wrong(kind: Kind) -> tuple[object, ...]:
    if isinstance(kind, Value):
        return WRONG[kind]
    return (7, "[]", {}) if isinstance(kind, ListOf) else (7, [])


def _fields(holder: Any, kind: Kind, path: Path) -> Iterator[tuple[Path, Field]]:
    """Every specified value that stands there."""
    inside: Iterator[tuple[str | int, Field]]
    match kind:
        case ListOf():
            inside = ((place, Field(kind.of)) for place in range(len(holder)))
        case MapOf():
            inside = ((name, Field(kind.of)) for name in holder)
        case Fields():
            inside = ((name, field) for name, field in kind.fields.items() if name in holder)
        case ColumnType() if isinstance(holder, dict):
            inside = ((name, field) for name, field in NESTED[holder["type"]].fields.items() if name in holder)
        case _:
            return
    for part, field in inside:
        yield (*path, part), field
        yield from _fields(holder[part], field.kind, (*path, part))

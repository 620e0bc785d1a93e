"""The snapshots and schemas of a Paimon table: small files of JSON (Paimon specification, Snapshot and Schema)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from xtable_audit.formats.folder import TableFolder
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.problem import Problem

ROW = "ROW"
NESTED = (ROW, "ARRAY", "MAP", "MULTISET")
NOT_NULL = " NOT NULL"
SNAPSHOT = re.compile(r"snapshot-([0-9]{1,18})")


@dataclass(frozen=True)
class Snapshot:
    """One commit."""

    id: int
    schema: int
    milliseconds: int
    """When it was made."""
    manifest_lists: tuple[str, ...]
    """Names below `manifest/` of the lists whose manifests make up the table."""
    has_index: bool
    """Whether an index belongs to it, such as one of deletion vectors."""


@dataclass(frozen=True)
class SchemaField:
    """A column, or a field of a struct."""

    id: int
    name: str
    type: str
    """Such as `DECIMAL(9, 2)`; `ROW`, `ARRAY`, `MAP` or `MULTISET` of what is nested."""
    fields: tuple[SchemaField, ...] = ()
    """Of a ROW."""

    @property
    def is_nested(self) -> bool:
        return self.type in NESTED


@dataclass(frozen=True)
class Schema:
    fields: tuple[SchemaField, ...]
    """Top-level columns."""
    names: Mapping[int, str]
    """Name of each top-level column by its id, which a renamed column keeps."""
    columns: tuple[str, ...]
    """Dotted paths, fields of structs too."""
    partition_keys: tuple[str, ...]
    primary_keys: tuple[str, ...]
    top_level: int
    """The level of compacted files: the last one (Paimon, CoreOptions.numLevels)."""
    last_wins: bool
    """Whether a later row replaces, or changes, that of the same key whatever it holds."""


def snapshots(folder: TableFolder) -> tuple[Snapshot, ...]:
    """From old to new. Raises Problem if the folder holds no Paimon table, Malformed for a broken snapshot."""
    ids = sorted(int(found[1]) for name in folder.names("snapshot") if (found := SNAPSHOT.fullmatch(name)))
    if not ids:
        raise Problem(f"{folder.root} is no Paimon table: it has no folder `snapshot` with a snapshot in it")
    names = [f"snapshot/snapshot-{id}" for id in ids]
    return tuple(map(_snapshot, map(folder.uri, names), folder.read_all(names)))


def schema(folder: TableFolder, id: int) -> Schema:
    """Raises Malformed."""
    name = f"schema/schema-{id}"
    facts = _json(folder.uri(name), folder.read(name))
    try:
        options = {str(key): str(value) for key, value in facts["options"].items()}
        trigger = int(options.get("num-sorted-run.compaction-trigger", "5"))
        fields = tuple(map(_field, facts["fields"]))
        return Schema(
            fields=fields,
            names={one.id: one.name for one in fields},
            columns=tuple(_paths(fields, "")),
            partition_keys=tuple(map(str, facts["partitionKeys"])),
            primary_keys=tuple(map(str, facts["primaryKeys"])),
            top_level=int(options.get("num-levels", trigger + 1)) - 1,
            last_wins=options.get("merge-engine") != "first-row" and "sequence.field" not in options,
        )
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise Malformed(folder.uri(name), f"is no schema of Paimon: {error!r}") from error


def _snapshot(uri: str, content: bytes) -> Snapshot:
    facts = _json(uri, content)
    try:
        lists = (facts["baseManifestList"], facts["deltaManifestList"])
        return Snapshot(
            int(facts["id"]),
            int(facts["schemaId"]),
            int(facts["timeMillis"]),
            tuple(str(name) for name in lists if name),
            bool(facts.get("indexManifest")),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise Malformed(uri, f"is no snapshot of Paimon: {error!r}") from error


def _json(uri: str, content: bytes) -> dict[str, Any]:
    try:
        facts = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise Malformed(uri, f"is no JSON: {error}") from error
    if not isinstance(facts, dict):
        raise Malformed(uri, "is no JSON object")
    return facts


def _field(facts: Any) -> SchemaField:
    """Types may end in NOT NULL."""
    type = facts["type"]
    if not isinstance(type, dict):
        return SchemaField(int(facts["id"]), str(facts["name"]), str(type).removesuffix(NOT_NULL))
    name = str(type["type"]).removesuffix(NOT_NULL)
    inside = map(_field, type["fields"]) if name == ROW else ()
    return SchemaField(int(facts["id"]), str(facts["name"]), name, tuple(inside))


def _paths(fields: Iterable[SchemaField], prefix: str) -> Iterator[str]:
    for field in fields:
        yield f"{prefix}{field.name}"
        yield from _paths(field.fields, f"{prefix}{field.name}.")

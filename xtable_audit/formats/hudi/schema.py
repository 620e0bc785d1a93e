"""A Hudi table's settings, hoodie.properties, and its columns, by the Avro schemas that its commits keep."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.source import SourceLeaf
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.problem import Problem

PROPERTIES = ".hoodie/hoodie.properties"
PARQUET = "PARQUET"


def read_settings(folder: TableFolder) -> dict[str, str]:
    """Raises Problem if the folder holds no Hudi table."""
    if folder.size(PROPERTIES) is None:
        raise Problem(
            f"{folder.root} is no Hudi table: it has no {PROPERTIES}; name the folder that holds .hoodie, or a Delta "
            f"table as delta:LOCATION"
        )
    return parse_properties(folder.read(PROPERTIES))


def base_format(settings: Mapping[str, str]) -> str:
    """Of the base files, in capitals."""
    return settings.get("hoodie.table.base.file.format", PARQUET).upper()


def parse_properties(content: bytes) -> dict[str, str]:
    """A Java properties file without continued lines, as Hudi writes it."""
    found = {}
    for line in content.decode("utf-8", "replace").splitlines():
        if line.strip() and not line.lstrip().startswith(("#", "!")):
            name, _, value = line.partition("=")
            found[_unescaped(name.strip())] = _unescaped(value.strip())
    return found


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def partition_fields(settings: Mapping[str, str]) -> tuple[str, ...]:
    """Without the types that CustomKeyGenerator appends (`day:timestamp`)."""
    listed = settings.get("hoodie.table.partition.fields", "")
    return tuple(one.strip().partition(":")[0] for one in listed.split(",") if one.strip())


DEEPEST = 40
"""Structs in structs beyond this are not looked into."""
OWN = (
    "_hoodie_commit_time",
    "_hoodie_commit_seqno",
    "_hoodie_record_key",
    "_hoodie_partition_path",
    "_hoodie_file_name",
)
"""Columns that Hudi puts in front of the schema, unless the table is written without."""
AVRO = {"boolean": "boolean", "int": "int", "long": "long", "float": "float", "double": "double", "string": "string",
        "enum": "string", "bytes": "bytes", "fixed": "fixed"}  # fmt: skip
LOGICAL = {
    "decimal": "decimal", "date": "date", "timestamp-millis": "timestamp", "timestamp-micros": "timestamp",
    "local-timestamp-millis": "timestamp_ntz", "local-timestamp-micros": "timestamp_ntz",
}  # fmt: skip


@dataclass(frozen=True)
class AvroColumn:
    """A column outside lists and maps: at the top, or a field of a record."""

    names: tuple[str, ...]
    """From the top."""
    type: str | None = None
    """In the words of all formats; None of a record, a list or a map."""
    millis: bool = False
    definition: Any = field(default=None, compare=False)
    """The type as the schema has it; None of a record, whose fields are columns of their own."""

    @property
    def path(self) -> str:
        return ".".join(self.names)


def columns_in(schema: str, location: str) -> tuple[AvroColumn, ...]:
    """The columns of a schema in Avro's JSON, in order, records before their fields. Raises Malformed of `location`."""
    try:
        return tuple(_columns(json.loads(schema), (), 0))
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise Malformed(location, f"has a commit whose schema is not Avro: {error}") from error


def _columns(schema: Any, names: tuple[str, ...], depth: int) -> Iterator[AvroColumn]:
    if isinstance(schema, list):  # a union: of null and one type, as Hudi writes them
        of = [branch for branch in schema if branch != "null"]
        if len(of) == 1:
            yield from _columns(of[0], names, depth)
            return
    kind = schema.get("type") if isinstance(schema, Mapping) and depth <= DEEPEST else None
    if isinstance(kind, Mapping | list):
        yield from _columns(kind, names, depth + 1)
        return
    if names:
        yield _column(schema, kind, names)
    if kind == "record":
        for field in schema.get("fields", ()):
            yield from _columns(field.get("type"), (*names, str(field.get("name"))), depth + 1)


def _column(schema: Any, kind: str | None, names: tuple[str, ...]) -> AvroColumn:
    definition = None if kind == "record" else schema
    if isinstance(schema, str):
        return AvroColumn(names, AVRO.get(schema, "other"), definition=definition)
    if kind in (None, "record", "array", "map"):
        return AvroColumn(names, definition=definition)
    logical = str(schema.get("logicalType", ""))
    type = LOGICAL.get(logical) or AVRO.get(str(kind), "other")
    return AvroColumn(names, type, logical.endswith("-millis"), definition)


def collections_of(columns: Iterable[AvroColumn], kind: Literal["map", "array"]) -> list[str]:
    """The paths of the maps, or lists, that are in no list and no map."""
    return [one.path for one in columns if isinstance(one.definition, Mapping) and one.definition.get("type") == kind]


def leaves_of(columns: Iterable[AvroColumn]) -> tuple[SourceLeaf, ...]:
    return tuple(SourceLeaf(one.names, one.names, one.type, one.millis) for one in columns if one.type is not None)

"""The fields of metadata.json that Iceberg's Java reads, with their types (Iceberg spec, Appendix C).

Fields that are not here may stand there and are ignored. Java refuses a field of another type (`JsonUtil`), and most of
those that the specification calls optional if they are null.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Value:
    """A value without values in it."""

    words: str
    holds: Callable[[Any], bool] = field(repr=False)


@dataclass(frozen=True)
class ListOf:
    of: Kind


@dataclass(frozen=True)
class MapOf:
    """An object of any names."""

    of: Kind


@dataclass(frozen=True)
class ColumnType:
    """A string, or an object of NESTED by its `type`."""


@dataclass(frozen=True)
class Fields:
    """An object of these names, and of others that are ignored."""

    fields: Mapping[str, Field]


Kind = Value | ListOf | MapOf | ColumnType | Fields


@dataclass(frozen=True)
class Field:
    kind: Kind
    since: int | None = None
    """The format version from which on it is required; None if Java reads metadata without it."""
    nullable: bool = False
    """Whether null is as good as nothing."""
    unless: str = ""
    """The field that is read in its place where there is one."""
    beside: str = ""
    """The field that it is required with, whatever the format version."""

    def is_of(self, version: int) -> bool:
        """Whether it is required in that format version."""
        return self.since is not None and version >= self.since

    def is_replaced(self, holder: Mapping[str, Any]) -> bool:
        return bool(self.unless) and self.unless in holder


def _integer(bits: int) -> Callable[[Any], bool]:
    least = -1 << bits - 1
    return lambda value: type(value) is int and least <= value < -least


INT = Value("an int: a whole number of 32 bits, without quotes, point or exponent", _integer(32))
LONG = Value("a long: a whole number of 64 bits, without quotes, point or exponent", _integer(64))
STRING = Value("a string", lambda value: isinstance(value, str))
BOOLEAN = Value("true or false", lambda value: isinstance(value, bool))
STRUCT_WORD = Value('"struct"', lambda value: value == "struct")
STRINGS = MapOf(STRING)

COLUMN = Fields(
    {
        "id": Field(INT, since=1),
        "name": Field(STRING, since=1),
        "required": Field(BOOLEAN, since=1),
        "type": Field(ColumnType(), since=1),
        "doc": Field(STRING, nullable=True),
    }
)
COLUMNS = Field(ListOf(COLUMN), since=1)
NESTED = {
    "struct": Fields({"fields": COLUMNS}),
    "list": Fields(
        {
            "element-id": Field(INT, since=1),
            "element-required": Field(BOOLEAN, since=1),
            "element": Field(ColumnType(), since=1),
        }
    ),
    "map": Fields(
        {
            "key-id": Field(INT, since=1),
            "key": Field(ColumnType(), since=1),
            "value-id": Field(INT, since=1),
            "value-required": Field(BOOLEAN, since=1),
            "value": Field(ColumnType(), since=1),
        }
    ),
}
SCHEMA = Fields(
    {
        "type": Field(STRUCT_WORD, since=1),
        "schema-id": Field(INT, nullable=True),
        "identifier-field-ids": Field(ListOf(INT), nullable=True),
        "fields": COLUMNS,
    }
)
PARTITION_FIELD = Fields(
    {
        "source-id": Field(INT, since=1, unless="source-ids"),
        "field-id": Field(INT),
        "name": Field(STRING, since=1),
        "transform": Field(STRING, since=1),
    }
)
PARTITION_FIELDS = ListOf(PARTITION_FIELD)
PARTITION_SPEC = Fields({"spec-id": Field(INT, since=1), "fields": Field(PARTITION_FIELDS, since=1)})
SORT_FIELD = Fields(
    {
        "transform": Field(STRING, since=1),
        "source-id": Field(INT, since=1, unless="source-ids"),
        "direction": Field(STRING, since=1),
        "null-order": Field(STRING, since=1),
    }
)
SORT_ORDER = Fields({"order-id": Field(INT, since=1), "fields": Field(ListOf(SORT_FIELD), since=1)})
SNAPSHOT = Fields(
    {
        "snapshot-id": Field(LONG, since=1),
        "parent-snapshot-id": Field(LONG),
        "sequence-number": Field(LONG),
        "timestamp-ms": Field(LONG, since=1),
        "manifest-list": Field(STRING, since=1, unless="manifests"),
        "summary": Field(STRINGS),
        "schema-id": Field(INT, nullable=True),
        "first-row-id": Field(LONG, nullable=True),
        "added-rows": Field(LONG, nullable=True),
    }
)
REFERENCE = Fields(
    {
        "snapshot-id": Field(LONG, since=1),
        "type": Field(STRING, since=1),
        "min-snapshots-to-keep": Field(INT, nullable=True),
        "max-snapshot-age-ms": Field(LONG, nullable=True),
        "max-ref-age-ms": Field(LONG, nullable=True),
    }
)
BLOB = Fields(
    {
        "type": Field(STRING, since=1),
        "snapshot-id": Field(LONG, since=1),
        "sequence-number": Field(LONG, since=1),
        "fields": Field(ListOf(INT), since=1),
        "properties": Field(STRINGS),
    }
)
STATISTICS = {
    "snapshot-id": Field(LONG, since=1),
    "statistics-path": Field(STRING, since=1),
    "file-size-in-bytes": Field(LONG, since=1),
}
STATISTICS_FILE = Fields(
    STATISTICS | {"file-footer-size-in-bytes": Field(LONG, since=1), "blob-metadata": Field(ListOf(BLOB), since=1)}
)
PARTITION_STATISTICS_FILE = Fields(STATISTICS)
LOGGED_SNAPSHOT = Fields({"timestamp-ms": Field(LONG, since=1), "snapshot-id": Field(LONG, since=1)})
LOGGED_METADATA = Fields({"timestamp-ms": Field(LONG, since=1), "metadata-file": Field(STRING, since=1)})

TABLE = Fields(
    {
        "format-version": Field(INT, since=1),
        "table-uuid": Field(STRING, since=2, nullable=True),
        "location": Field(STRING, since=1),
        "last-sequence-number": Field(LONG, since=2),
        "last-updated-ms": Field(LONG, since=1),
        "last-column-id": Field(INT, since=1),
        "schema": Field(SCHEMA, since=1, unless="schemas"),
        "schemas": Field(ListOf(SCHEMA), since=2),
        "current-schema-id": Field(INT, since=2, beside="schemas"),
        "partition-spec": Field(PARTITION_FIELDS, since=1, unless="partition-specs"),
        "partition-specs": Field(ListOf(PARTITION_SPEC), since=2),
        "default-spec-id": Field(INT, since=2, beside="partition-specs"),
        "last-partition-id": Field(INT, since=2, nullable=True),
        "sort-orders": Field(ListOf(SORT_ORDER), since=2),
        "default-sort-order-id": Field(INT, since=2, beside="sort-orders"),
        "properties": Field(STRINGS),
        "current-snapshot-id": Field(LONG, nullable=True),
        "refs": Field(MapOf(REFERENCE)),
        "snapshots": Field(ListOf(SNAPSHOT)),
        "snapshot-log": Field(ListOf(LOGGED_SNAPSHOT), nullable=True),
        "metadata-log": Field(ListOf(LOGGED_METADATA), nullable=True),
        "statistics": Field(ListOf(STATISTICS_FILE)),
        "partition-statistics": Field(ListOf(PARTITION_STATISTICS_FILE)),
        "next-row-id": Field(LONG, since=3),
    }
)
"""The whole metadata.json. Encryption keys are left out: Iceberg 1.9 does not read them."""

"""A Paimon table as it is now, with the facts that decide which findings it meets: snapshot, schemas and manifests.

XTable takes statistics from the manifests alone, so no footer is read. Of a table with a primary key it takes the
compacted files alone.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from xtable_audit.formats.configuration import Configuration
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.paimon.manifests import PaimonFile, live_files
from xtable_audit.formats.paimon.snapshots import Schema, SchemaField, schema, snapshots
from xtable_audit.formats.source import FactAnswer, ShownFact, SourceColumn, SourceTable, some, yes_if
from xtable_audit.model.figures import many
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.source_fact import ColumnFact, ColumnPlace, TableFact

TYPES = {
    "BOOLEAN": "boolean", "TINYINT": "byte", "SMALLINT": "short", "INT": "int", "INTEGER": "int", "BIGINT": "long",
    "FLOAT": "float", "DOUBLE": "double", "DECIMAL": "decimal", "CHAR": "string", "VARCHAR": "string",
    "STRING": "string", "BINARY": "bytes", "VARBINARY": "bytes", "BYTES": "bytes", "DATE": "date", "TIME": "time",
}  # fmt: skip
"""By the first word of a type."""
TIMESTAMP = re.compile(r"TIMESTAMP(_LTZ)?(?:\(([0-9]+)\))?( WITH LOCAL TIME ZONE)?")
DEFAULT_PRECISION = 6
"""Of a timestamp (Paimon, TimestampType)."""
WIDTHS = {"byte": 1, "short": 2}
"""Bytes of the types of whose minima XTable reads more."""
ENCODED = re.compile(r"%[0-9A-Fa-f]{2}")


def paimon_table(folder: TableFolder, config: Configuration | None, footers: int) -> SourceTable:
    """Raises Problem if the folder holds no Paimon table, Malformed for metadata that cannot be read.

    `config`, XTable's, decides nothing of a Paimon table.
    """
    del config, footers
    newest = snapshots(folder)[-1]
    now = schema(folder, newest.schema)
    found = live_files(folder, newest)
    taken = [one for one in found if not now.primary_keys or one.level == now.top_level]
    try:
        table = _Taken(now, {id: schema(folder, id) for id in sorted({one.schema for one in taken})}, taken)
        shown, facts = table.shown, dict(table.facts())
    except ValueError as error:
        raise Malformed(folder.root, f"has a manifest whose statistics cannot be read: {error}") from error
    uncompacted = len(found) - len(taken)
    return SourceTable(
        format="paimon",
        location=folder.root,
        version=str(newest.id),
        versioned="Paimon snapshot",
        columns=tuple(_columns(now, now.fields, "", shown)),
        settings={},
        instants={},
        facts={
            **facts,
            TableFact.UNCOMPACTED: yes_if(uncompacted > 0, many(uncompacted, "uncompacted file")),
            TableFact.ENCODED_PATH: some(_encoded(folder, taken), "paths such as "),
        },
        files=len(taken),
        footers=0,
    )


def _columns(
    now: Schema, fields: Sequence[SchemaField], prefix: str, shown: dict[str, set[ColumnFact]]
) -> Iterator[SourceColumn]:
    """The leaves outside lists and maps."""
    for field in fields:
        path = f"{prefix}{field.name}"
        if field.fields:
            yield from _columns(now, field.fields, f"{path}.", shown)
        elif not field.is_nested:
            place = ColumnPlace.PARTITION if path in now.partition_keys else ColumnPlace.TOP
            type, seen = leaf_type(field), {*shown[path]}
            if type.startswith("timestamp") and _precision(field) <= MILLIS:
                seen.add(ColumnFact.MILLISECONDS)
            yield SourceColumn(
                path,
                type,
                frozenset({ColumnPlace.STRUCT if prefix else place}),
                dict.fromkeys(seen, FactAnswer.YES),
            )


MILLIS = 3
"""The precision up to which XTable takes a timestamp for one of milliseconds."""


def leaf_type(field: SchemaField) -> str:
    """One of LEAF_TYPES."""
    if stamp := TIMESTAMP.fullmatch(field.type):
        return "timestamp" if stamp[1] or stamp[3] else "timestamp_ntz"
    return TYPES.get(re.split(r"[ (]", field.type)[0], "other")


def _precision(field: SchemaField) -> int:
    stamp = TIMESTAMP.fullmatch(field.type)
    return int(stamp[2]) if stamp and stamp[2] else DEFAULT_PRECISION


@dataclass(frozen=True)
class _Taken:
    """The files that XTable takes, and the schemas that they were written by."""

    now: Schema
    then: dict[int, Schema]
    files: Sequence[PaimonFile]

    @cached_property
    def nameless(self) -> list[PaimonFile]:
        """Those whose statistics name no columns."""
        return [one for one in self.files if one.statistics.names is None and one.statistics.minima.fields]

    @property
    def shown(self) -> dict[str, set[ColumnFact]]:
        """By the top-level column that XTable takes the statistics to be of. Raises ValueError."""
        found: dict[str, set[ColumnFact]] = defaultdict(set)
        types = {field.name: leaf_type(field) for field in self.now.fields}
        for file in self.files:
            minima = file.statistics.minima
            for place, name in enumerate(self._names(file)[: minima.fields]):
                found[name].add(ColumnFact.MANIFEST_COUNTED)
                width = WIDTHS.get(types.get(name, ""))
                if minima.is_null(place):
                    found[name].add(ColumnFact.MANIFEST_NO_MINIMUM)
                elif width and minima.integer(place, width) < 0:
                    found[name].add(ColumnFact.MANIFEST_BELOW_ZERO)
        return found

    def _names(self, file: PaimonFile) -> tuple[str, ...]:
        if file.statistics.names is not None:
            return file.statistics.names
        fits = file.statistics.minima.fields == len(self.now.fields)
        return tuple(field.name for field in (self.now if fits else self.then[file.schema]).fields)

    def facts(self) -> Iterator[tuple[TableFact, ShownFact]]:
        """Raises ValueError."""
        counted = [one for one in self.files if one.statistics.minima.fields]
        yield TableFact.STATS_IN_MANIFESTS, yes_if(bool(counted), f"statistics of {many(len(counted), 'file')}")
        bare = len(self.files) - len(counted)
        yield TableFact.NO_STATS_IN_MANIFESTS, yes_if(bare > 0, f"{many(bare, 'file')} without statistics")
        nested = [field.name for field in self.now.fields if field.is_nested] if self.nameless else []
        yield TableFact.NESTED_STATS, some(nested)
        number = len(self.now.fields)
        others = [one for one in self.nameless if one.statistics.minima.fields != number]
        yield TableFact.STATS_OF_MORE, some(f"{one.statistics.minima.fields} in {one.name}" for one in others)
        yield TableFact.STATS_OF_OTHERS, some(self._replaced())
        partitions = len(self.now.partition_keys)
        null = [one.name for one in self.files if any(map(one.partition.is_null, range(partitions)))]
        yield TableFact.NULL_PARTITION, some(null, "of ")

    def _replaced(self) -> Iterator[str]:
        """What a file's statistics are of, and what XTable takes them for, where these are two columns."""
        for file in self.nameless:
            then = self.then[file.schema].fields
            if len(then) == len(self.now.fields):
                pairs = zip(then, self.now.fields, strict=True)
                yield from (f"{old.name} for {new.name}" for old, new in pairs if old.id != new.id)


def _encoded(folder: TableFolder, files: Sequence[PaimonFile]) -> Iterator[str]:
    """Paths of the files whose partition Paimon escapes in its name."""
    names = {one.name for one in files}
    for path in folder.names("", below=True):
        place, _, name = path.rpartition("/")
        if name in names and ENCODED.search(place):
            yield path

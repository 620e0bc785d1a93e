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
from itertools import pairwise
from urllib.parse import unquote

from xtable_audit.formats.configuration import Configuration
from xtable_audit.formats.folder import TableFolder, needs_encoding
from xtable_audit.formats.paimon.columns import MILLIS, leaf_type, of_bounds, precision
from xtable_audit.formats.paimon.manifests import PaimonFile, live_files
from xtable_audit.formats.paimon.snapshots import Schema, SchemaField, schema, snapshots
from xtable_audit.formats.source import FactAnswer, ShownFact, SourceColumn, SourceTable, some, yes_if
from xtable_audit.model.figures import many
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.source_fact import ColumnFact, ColumnPlace, TableFact

ENCODED = re.compile(r"%[0-9A-Fa-f]{2}")
SCHEMA = re.compile(r"schema-([0-9]{1,18})")


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
            TableFact.FIELD_IDS: yes_if(True),
            TableFact.SCHEMA_CHANGED: some(_changed(folder)),
            **dict(_of_paths(folder, taken)),
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
            if type.startswith("timestamp") and precision(field) <= MILLIS:
                seen.add(ColumnFact.MILLISECONDS)
            yield SourceColumn(
                path,
                type,
                frozenset({ColumnPlace.STRUCT if prefix else place}),
                dict.fromkeys(seen, FactAnswer.YES),
            )


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
        now = {field.name: field for field in self.now.fields}
        for file in self.files:
            minima, maxima = file.statistics.minima, file.statistics.maxima
            for place, name in enumerate(self._names(file)[: minima.fields]):
                found[name].add(ColumnFact.MANIFEST_COUNTED)
                written = self._written(file, place)
                if minima.is_null(place):
                    found[name].add(ColumnFact.MANIFEST_NO_MINIMUM)
                elif written and name in now and written.type == now[name].type and not maxima.is_null(place):
                    found[name].update(of_bounds(written, file.statistics, place))
        return found

    def _written(self, file: PaimonFile, place: int) -> SchemaField | None:
        """The column of the file's own schema that the statistics have there."""
        fields, names = self.then[file.schema].fields, file.statistics.names
        if names is not None:
            return next((one for one in fields if one.name == names[place]), None)
        return fields[place] if place < len(fields) else None

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


def _changed(folder: TableFolder) -> Iterator[str]:
    """Columns that one schema has otherwise than the one before."""
    ids = sorted(int(found[1]) for name in folder.names("schema") if (found := SCHEMA.fullmatch(name)))
    every = [{field.name: (field.type, field.fields) for field in schema(folder, id).fields} for id in ids]
    for old, new in pairwise(every):
        yield from (name for name in sorted({*old} | {*new}) if old.get(name) != new.get(name))


def _of_paths(folder: TableFolder, files: Sequence[PaimonFile]) -> Iterator[tuple[TableFact, ShownFact]]:
    """XTable makes the path of a file of the partition's values as they are."""
    names = {one.name for one in files}
    there = [path.rpartition("/") for path in folder.names("", below=True)]
    folders = {place: f"{place}/{name}" for place, _, name in there if name in names}
    encoded = (path for place, path in folders.items() if ENCODED.search(place))
    yield TableFact.ENCODED_PATH, some(encoded, "paths such as ")
    yield TableFact.NO_URI_PATH, some(filter(needs_encoding, map(unquote, folders)), "paths such as ")

"""What a Hudi table's metadata table says at one instant: the files of each partition, and statistics of their columns.

It is a MERGE_ON_READ table of its own below `.hoodie/metadata`: of each file group the newest base file and the logs
after it count, by the instants that completed in it and are not pending in the table itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.hudi.metadata_table.datum import Decoder
from xtable_audit.formats.hudi.metadata_table.files import COMMAND, HFILE, KeyValue, blocks_in, pairs_in
from xtable_audit.formats.hudi.timeline import HudiTimeline
from xtable_audit.model.malformed import Malformed

FOLDER = ".hoodie/metadata"
FILES, COLUMN_STATISTICS = "files", "column_stats"
"""Partitions of the metadata table."""
BASE = re.compile(r"(?P<group>[^_/]+)_[^_/]+_(?P<time>\d+)\.hfile")
LOGGED = re.compile(r"\.(?P<group>[^._/][^_/]*)_(?P<time>\d+)\.log\.(?P<version>\d+)_[\d-]+")
MILLIS = 17
"""Digits of an instant of the table; the metadata table appends some of its own."""
EVERY, UNPARTITIONED = "__all_partitions__", "."
"""Keys of `files`: the list of partitions, and the only partition of a table without partition columns."""
FILE_LISTS, STATISTICS = 2, 3
"""Kinds of records (MetadataPartitionType)."""


@dataclass(frozen=True)
class ColumnRecord:
    """Statistics of one column of one file. A bound is the name of Hudi's wrapper and what it wraps, or None."""

    file: str
    """Its name, without the folder and without a marker of Hudi's."""
    column: str
    lower: Any
    upper: Any
    nulls: int | None
    values: int | None
    """With the nulls."""


@dataclass
class MetadataTable:
    files: dict[str, dict[str, int]] = field(default_factory=dict)
    """Partition -> name of each file, as the commit's metadata has it -> size."""
    statistics: dict[bytes, ColumnRecord] = field(default_factory=dict)
    """By the record's key, a hash of column, partition and file."""
    read: list[str] = field(default_factory=list)
    """The files of the metadata table that were read, below the table."""

    def add(self, key: bytes, record: Mapping[str, Any]) -> None:
        if record.get("type") == FILE_LISTS:
            name = key.decode("utf-8")
            self._list("" if name == UNPARTITIONED else name, record.get("filesystemMetadata") or {})
        elif record.get("type") == STATISTICS and isinstance(one := record.get("ColumnStatsMetadata"), Mapping):
            if one.get("isDeleted"):
                self.statistics.pop(key, None)
            else:
                bounds, counts = (
                    (one.get("minValue"), one.get("maxValue")),
                    (one.get("nullCount"), one.get("valueCount")),
                )
                self.statistics[key] = ColumnRecord(str(one["fileName"]), str(one["columnName"]), *bounds, *counts)

    def _list(self, partition: str, changes: Mapping[str, Mapping[str, Any]]) -> None:
        listed = self.files.setdefault(partition, {})
        for name, change in changes.items():
            if change.get("isDeleted"):
                listed.pop(name, None)
            else:
                listed[name] = int(change.get("size") or 0)


def read_metadata_table(
    folder: TableFolder, timeline: HudiTimeline, partitions: frozenset[str], until: str
) -> MetadataTable:
    """As of the instant `until` of the table. Raises Malformed for a file that is not of Hudi's form, or where the
    metadata table no longer tells the state from later ones.
    """
    own = TableFolder(folder.uri(FOLDER), folder.objects)
    completed = {one.time for one in HudiTimeline.read(own).completed}
    valid = frozenset(time for time in completed if time[:MILLIS] <= until and time[:MILLIS] not in timeline.pending)
    found = MetadataTable()
    for partition in (FILES, COLUMN_STATISTICS):
        if partition in partitions:
            for names in _slices(own, partition, valid, completed, until):
                for name in names:
                    found.read.append(f"{FOLDER}/{name}")
                    for key, record in _records(own, name, valid):
                        found.add(key, record)
    return found


def _slices(
    own: TableFolder, partition: str, valid: frozenset[str], completed: set[str], until: str
) -> Iterator[list[str]]:
    """Of each file group the base file, if it has one, and the logs after it, oldest first."""
    names = own.names(partition)
    bases: dict[str, tuple[str, str]] = {}
    for name in names:
        if found := BASE.fullmatch(name):
            group = found["group"]
            if found["time"] in valid:
                bases[group] = max(bases.get(group, ("", "")), (found["time"], name))
            elif found["time"] in completed and group not in bases:
                bases[group] = ("", "")
    logs = [(found, name) for name in names if (found := LOGGED.fullmatch(name))]
    for group in sorted({*bases, *(found["group"] for found, _ in logs)}):
        since, base = bases.get(group, ("", ""))
        later = [one for one in logs if one[0]["group"] == group and one[0]["time"] >= since]
        if not base and not later:
            raise Malformed(own.uri(partition), f"no longer has what it said at the instant {until}")
        in_order = sorted(later, key=lambda one: (one[0]["time"], int(one[0]["version"])))
        yield [f"{partition}/{name}" for name in (*filter(None, (base,)), *(name for _, name in in_order))]


def _records(own: TableFolder, name: str, valid: frozenset[str]) -> Iterator[tuple[bytes, Mapping[str, Any]]]:
    content = own.read(name)
    try:
        if BASE.fullmatch(name.rpartition("/")[2]):
            yield from _decoded(*pairs_in(content), "")
            return
        blocks = list(blocks_in(content))
        rolled_back = {one.target for one in blocks if one.kind == COMMAND}
        for block in blocks:
            if block.kind == HFILE and block.instant in valid and block.instant not in rolled_back:
                yield from _decoded(*pairs_in(block.content), block.schema)
    except (ValueError, KeyError, TypeError, IndexError, StopIteration, RecursionError) as error:
        raise Malformed(own.uri(name), f"is not a file of Hudi's metadata table: {error}") from error


def _decoded(pairs: tuple[KeyValue, ...], own: str, schema: str) -> Iterator[tuple[bytes, Mapping[str, Any]]]:
    """Each key with its record, by the schema of the HFile or else of its block."""
    if not pairs:
        return
    decoder = Decoder(own or schema)
    for pair in pairs:
        if pair.value:
            yield pair.key, decoder.decode(pair.value)

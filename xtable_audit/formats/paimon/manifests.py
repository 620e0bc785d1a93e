"""The live data files of a Paimon table, by the manifests of a snapshot (Paimon specification, Manifest)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pyarrow as pa

from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.iceberg.avro import parse_avro
from xtable_audit.formats.paimon.snapshots import Snapshot
from xtable_audit.model.malformed import Malformed

HEADER = 8
"""Bits before those of nulls."""
WORD = 8
"""Bytes."""
NUMBER = 4
"""Bytes of the number of fields."""
COMPACT_TIMESTAMP, COMPACT_DECIMAL = 3, 18
"""Digits up to which a word holds such a value itself: milliseconds, and a decimal without its point."""


@dataclass(frozen=True)
class BinaryRow:
    """A row in Paimon's binary form, as manifests hold partitions and statistics (Paimon, SerializationUtils).

    Four bytes with the number of fields come first. Then a bit a field that says whether it is null, after eight bits
    of a header and filled up to whole words of eight bytes; then a word a field, which holds small values themselves,
    and of others where they are behind the words.
    """

    content: bytes

    EMPTY: ClassVar[BinaryRow]

    @property
    def fields(self) -> int:
        return int.from_bytes(self.content[:NUMBER], "big")

    def is_null(self, field: int) -> bool:
        """Raises ValueError for a row that is too short."""
        byte, bit = divmod(field + HEADER, 8)
        return bool(self._bytes(byte, 1)[0] >> bit & 1)

    def integer(self, field: int, width: int) -> int:
        """A signed integer of so many bytes. Raises ValueError for a row that is too short."""
        words_of_nulls = (self.fields + HEADER + 63) // 64
        return int.from_bytes(self._bytes((words_of_nulls + field) * WORD, width), "little", signed=True)

    def micros(self, field: int, precision: int) -> int:
        """A timestamp in microseconds since 1970. Raises ValueError for a row that is too short."""
        if precision <= COMPACT_TIMESTAMP:
            return self.integer(field, WORD) * 1000
        place, nanoseconds = self._beside(field)
        return int.from_bytes(self._bytes(place, WORD), "little", signed=True) * 1000 + nanoseconds // 1000

    def unscaled(self, field: int, precision: int) -> int:
        """A decimal without its point. Raises ValueError for a row that is too short."""
        if precision <= COMPACT_DECIMAL:
            return self.integer(field, WORD)
        return int.from_bytes(self._bytes(*self._beside(field)), "big", signed=True)

    def _beside(self, field: int) -> tuple[int, int]:
        """Where the row has what is too long for a word, and the lower half of that word."""
        return divmod(self.integer(field, WORD), 2**32)

    def _bytes(self, start: int, length: int) -> bytes:
        found = self.content[NUMBER + start : NUMBER + start + length]
        if len(found) < length:
            raise ValueError(f"a row of {self.fields} fields has {len(self.content)} bytes")
        return found


BinaryRow.EMPTY = BinaryRow(bytes(NUMBER))

ADD, DELETE = 0, 1
FOLDER = "manifest"


@dataclass(frozen=True)
class ColumnStatistics:
    """Of a file's columns, in the order of `names`, or, without names, of all columns of the file's schema."""

    names: tuple[str, ...] | None
    minima: BinaryRow
    maxima: BinaryRow


@dataclass(frozen=True)
class PaimonFile:
    """A data file. Its name is its own, in whichever partition it lies."""

    name: str
    partition: BinaryRow
    bucket: int
    level: int
    rows: int
    deletes: int
    """Rows among them that delete one."""
    schema: int
    external: str | None
    """Its address, if it lies outside the table."""
    statistics: ColumnStatistics


def live_files(folder: TableFolder, snapshot: Snapshot) -> list[PaimonFile]:
    """Raises Malformed for a manifest that is missing or broken."""
    live: dict[tuple[str, int], PaimonFile] = {}
    manifests = [name for uri, table in _read(folder, snapshot.manifest_lists) for name in _manifests(uri, table)]
    for uri, table in _read(folder, manifests):
        for kind, one in _entries(uri, table):
            if kind == ADD:
                live[one.name, one.level] = one
            else:
                live.pop((one.name, one.level), None)  # a compaction may lift a file to another level
    return list(live.values())


def _manifests(uri: str, table: pa.Table) -> list[str]:
    if "_FILE_NAME" not in table.column_names:
        raise Malformed(uri, "is no manifest list of Paimon: it has no column _FILE_NAME")
    return [str(one) for one in table["_FILE_NAME"].to_pylist()]


def _entries(uri: str, table: pa.Table) -> Iterator[tuple[int, PaimonFile]]:
    for entry in table.to_pylist():
        try:
            file = entry["_FILE"]
            yield (
                int(entry["_KIND"]),
                PaimonFile(
                    str(file["_FILE_NAME"]),
                    BinaryRow(bytes(entry["_PARTITION"])),
                    int(entry["_BUCKET"]),
                    int(file["_LEVEL"]),
                    int(file["_ROW_COUNT"]),
                    int(file.get("_DELETE_ROW_COUNT") or 0),
                    int(file["_SCHEMA_ID"]),
                    file.get("_EXTERNAL_PATH"),
                    _statistics(file),
                ),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise Malformed(uri, f"is no manifest of Paimon: {error!r}") from error


def _statistics(file: Mapping[str, Any]) -> ColumnStatistics:
    """Older files have none."""
    found, names = file.get("_VALUE_STATS"), file.get("_VALUE_STATS_COLS")
    sides = (BinaryRow(bytes(found[side])) if found else BinaryRow.EMPTY for side in ("_MIN_VALUES", "_MAX_VALUES"))
    return ColumnStatistics(None if names is None else tuple(map(str, names)), *sides)


def _read(folder: TableFolder, names: Sequence[str]) -> Iterator[tuple[str, pa.Table]]:
    """Each with its address."""
    below = [f"{FOLDER}/{name}" for name in names]
    for name, content in zip(below, folder.read_all(below), strict=True):
        yield folder.uri(name), parse_avro(folder.uri(name), content, folder.objects.limits)

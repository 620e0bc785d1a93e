"""Paimon tables that are written by hand, with Iceberg metadata over them as XTable would leave it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.catalog.sql import SqlCatalog

from tests.tables.translated import told
from xtable_audit.formats.paimon.manifests import BinaryRow, ColumnStatistics
from xtable_audit.table.synced import PROPERTY

NOON = 1_704_110_400_000
"""2024-01-01T12:00:00Z, in milliseconds: the time of the snapshot before the first one. Each takes a second more."""
BATCH = 2**63 - 1
"""The commit identifier of each batch job."""
LIST: Any = {"type": "record", "name": "list", "fields": [{"name": "_FILE_NAME", "type": "string"}]}
STATS = {
    "type": "record",
    "name": "stats",
    "fields": [{"name": name, "type": "bytes"} for name in ("_MIN_VALUES", "_MAX_VALUES")],
}
FILE = {
    "type": "record",
    "name": "file",
    "fields": [
        {"name": "_FILE_NAME", "type": "string"},
        *({"name": name, "type": "long"} for name in ("_ROW_COUNT", "_SCHEMA_ID", "_DELETE_ROW_COUNT")),
        {"name": "_LEVEL", "type": "int"},
        {"name": "_EXTERNAL_PATH", "type": ["null", "string"]},
        {"name": "_VALUE_STATS", "type": ["null", STATS]},
        {"name": "_VALUE_STATS_COLS", "type": ["null", {"type": "array", "items": "string"}]},
    ],
}
ENTRY: Any = {
    "type": "record",
    "name": "entry",
    "fields": [
        {"name": "_KIND", "type": "int"},
        {"name": "_PARTITION", "type": "bytes"},
        {"name": "_BUCKET", "type": "int"},
        {"name": "_FILE", "type": FILE},
    ],
}


def rows(first: int, count: int = 5) -> pa.Table:
    numbers = range(first, first + count)
    return pa.table({"n": pa.array(numbers, pa.int64()), "s": [f"row {one}" for one in numbers]})


def binary_row(*values: object) -> bytes:
    """As Paimon keeps a row of fields of up to eight bytes. Of a text only that it is there."""
    nulls = sum(1 << 8 + place for place, value in enumerate(values) if value is None)
    words = [value if isinstance(value, int) else 0 for value in values]
    return b"".join(
        (
            len(values).to_bytes(4, "big"),
            nulls.to_bytes((len(values) + 8 + 63) // 64 * 8, "little"),
            *(word.to_bytes(8, "little", signed=True) for word in words),
        )
    )


def statistics(*minima: object, names: tuple[str, ...] | None = None) -> ColumnStatistics:
    """Of a file, by the minimum of each column, None for none."""
    row = BinaryRow(binary_row(*minima))
    return ColumnStatistics(names, row, row)


@dataclass(frozen=True)
class Change:
    """A data file that a commit adds, or, without rows, deletes."""

    path: str
    rows: pa.Table | None = None
    level: int = 0
    deletes: int = 0
    external: str | None = None
    statistics: ColumnStatistics | None = None
    partition: bytes | None = None
    """As the manifest has it; by default, the path."""


@dataclass
class Paimon:
    """The table in the folder `root`."""

    root: Path
    columns: Mapping[int, tuple[str, object]] = field(default_factory=lambda: {0: ("n", "BIGINT"), 1: ("s", "STRING")})
    primary_keys: tuple[str, ...] = ()
    partition_keys: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    index: str | None = None
    snapshots: int = 0
    schemas: int = 0
    manifests: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.alter(self.columns)

    def alter(self, columns: Mapping[int, tuple[str, object]]) -> None:
        """The table has these columns from now on: name and type by id."""
        facts = {
            "fields": [{"id": id, "name": name, "type": type} for id, (name, type) in columns.items()],
            "partitionKeys": self.partition_keys,
            "primaryKeys": self.primary_keys,
            "options": self.options,
        }
        self._put(f"schema/schema-{self.schemas}", json.dumps(facts).encode())
        self.schemas += 1

    def commit(self, *changes: Change) -> None:
        """A snapshot more."""
        self.snapshots += 1
        for one in changes:
            if one.rows is not None and one.external is None and not (self.root / one.path).exists():
                (self.root / one.path).parent.mkdir(parents=True, exist_ok=True)
                pq.write_table(one.rows, self.root / one.path)
        base = self._avro(f"manifest-list-{self.snapshots}-0", LIST, [{"_FILE_NAME": one} for one in self.manifests])
        manifest = self._avro(f"manifest-{self.snapshots}", ENTRY, map(self._entry, changes))
        self.manifests.append(manifest)
        facts = {
            "version": 3,
            "id": self.snapshots,
            "schemaId": self.schemas - 1,
            "baseManifestList": base,
            "deltaManifestList": self._avro(f"manifest-list-{self.snapshots}-1", LIST, [{"_FILE_NAME": manifest}]),
            "indexManifest": self.index,
            "commitIdentifier": BATCH,
            "timeMillis": self.milliseconds,
        }
        self._put(f"snapshot/snapshot-{self.snapshots}", json.dumps(facts).encode())

    @property
    def milliseconds(self) -> int:
        """When the newest snapshot was made."""
        return NOON + 1000 * self.snapshots

    @property
    def synced(self) -> dict[str, object]:
        """What XTable notes after a sync of the newest snapshot."""
        time = datetime.fromtimestamp(self.milliseconds / 1000, UTC).isoformat()
        return told("paimon", str(BATCH)) | {"lastInstantSynced": time}

    def translate(self, paths: Collection[str], **more: object) -> None:
        """Iceberg metadata of these files, in the folder itself, synced up to the newest snapshot, but for `more`."""
        self._described(paths, {PROPERTY: json.dumps(self.synced | more)})

    def export(self, paths: Collection[str]) -> None:
        """The same without a note of the snapshot, as Paimon's own exporter leaves it."""
        self._described(paths, {})

    def _described(self, paths: Collection[str], properties: dict[str, str]) -> None:
        files = [f"file://{self.root / path}" for path in paths]
        catalog = SqlCatalog(self.root.name, uri="sqlite:///:memory:", warehouse=f"file://{self.root.parent}")
        catalog.create_namespace("t")
        table = catalog.create_table("t.t", rows(0).schema, f"file://{self.root}", properties=properties)
        if files:
            table.add_files(files)
        catalog.close()

    def _entry(self, one: Change) -> dict[str, object]:
        folder, _, name = one.path.rpartition("/")
        partition, _, bucket = folder.rpartition("bucket-")
        file = {
            "_FILE_NAME": name,
            "_ROW_COUNT": one.rows.num_rows if one.rows is not None else 0,
            "_SCHEMA_ID": self.schemas - 1,
            "_DELETE_ROW_COUNT": one.deletes,
            "_LEVEL": one.level,
            "_EXTERNAL_PATH": one.external,
            **_stored(one.statistics),
        }
        kind = 1 if one.rows is None else 0
        row = partition.encode() if one.partition is None else one.partition
        return {"_KIND": kind, "_PARTITION": row, "_BUCKET": int(bucket), "_FILE": file}

    def _avro(self, name: str, schema: Any, records: Iterable[Mapping[str, object]]) -> str:
        (self.root / "manifest").mkdir(parents=True, exist_ok=True)
        with (self.root / "manifest" / name).open("wb") as stream:
            fastavro.writer(stream, schema, [*records], "deflate")
        return name

    def _put(self, name: str, content: bytes) -> None:
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_bytes(content)


def _stored(statistics: ColumnStatistics | None) -> dict[str, object]:
    if statistics is None:
        return {"_VALUE_STATS": None, "_VALUE_STATS_COLS": []}
    rows = {"_MIN_VALUES": statistics.minima.content, "_MAX_VALUES": statistics.maxima.content}
    names = None if statistics.names is None else [*statistics.names]
    return {"_VALUE_STATS": rows, "_VALUE_STATS_COLS": names}


A, B, C = (f"bucket-0/data-{name}-0.parquet" for name in "abc")


def appended(root: Path) -> Paimon:
    """A table of two files, then a third."""
    table = Paimon(root)
    table.commit(Change(A, rows(0)), Change(B, rows(5)))
    table.commit(Change(C, rows(10)))
    return table

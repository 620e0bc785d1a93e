"""Tables that are written by hand: Delta logs with one fault or one feature each, and folders of Parquet files."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.catalog.sql import SqlCatalog

from tests.tables.translated import told
from xtable_audit.formats.delta.checkpoint import SIDECARS
from xtable_audit.formats.folder import TableFolder
from xtable_audit.model.delta_version import LOG
from xtable_audit.table.synced import PROPERTY

Actions = Sequence[Mapping[str, Any]]
PROTOCOL = {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}
MAP = pa.map_(pa.string(), pa.string())
VECTOR = pa.struct(
    {
        "storageType": pa.string(),
        "pathOrInlineDv": pa.string(),
        "offset": pa.int32(),
        "sizeInBytes": pa.int32(),
        "cardinality": pa.int64(),
    }
)
ADD = {"path": pa.string(), "partitionValues": MAP, "size": pa.int64(), "stats": pa.string(), "deletionVector": VECTOR}
PLAIN = pa.schema(
    {
        "protocol": pa.struct({"minReaderVersion": pa.int32(), "minWriterVersion": pa.int32()}),
        "metaData": pa.struct(
            {"schemaString": pa.string(), "partitionColumns": pa.list_(pa.string()), "configuration": MAP}
        ),
        "txn": pa.struct({"appId": pa.string(), "version": pa.int64()}),
        "add": pa.struct(ADD),
        "remove": pa.struct({"path": pa.string(), "deletionTimestamp": pa.int64()}),
        "sidecar": pa.struct({"path": pa.string(), "sizeInBytes": pa.int64()}),
    }
)
"""The columns of a checkpoint in Parquet."""


def column(name: str, type: Any = "long", **metadata: Any) -> dict[str, Any]:
    return {"name": name, "type": type, "nullable": True, "metadata": metadata}


def struct(*columns: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "struct", "fields": [*columns]}


def metadata(*columns: Mapping[str, Any], by: Sequence[str] = (), **settings: str) -> dict[str, Any]:
    schema = json.dumps(struct(*(columns or (column("x"),))))
    return {"metaData": {"schemaString": schema, "partitionColumns": [*by], "configuration": settings}}


def added(path: str, **more: Any) -> dict[str, Any]:
    return {"add": {"path": path, "partitionValues": {}, "size": 1, **more}}


def removed(path: str, **more: Any) -> dict[str, Any]:
    return {"remove": {"path": path, "deletionTimestamp": 0, **more}}


def lines(actions: Actions) -> str:
    return "".join(f"{json.dumps(one)}\n" for one in actions)


class HandWritten:
    """A table's folder, to which a test writes what it needs."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / LOG).mkdir()

    @property
    def folder(self) -> TableFolder:
        return TableFolder.at(str(self.root))

    def commit(self, version: int, *actions: Mapping[str, Any]) -> None:
        self.write(f"{version:020}.json", lines(actions))

    def write(self, name: str, content: str | bytes) -> None:
        path = self.root / LOG / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)

    def checkpoint(self, version: int, form: str, actions: Actions, schema: pa.Schema = PLAIN) -> None:
        """`form`: what follows `checkpoint` in its name."""
        self.parquet(f"{version:020}.checkpoint{form}", actions, schema)

    def sidecar(self, name: str, actions: Actions) -> None:
        self.parquet(f"{SIDECARS.removeprefix(f'{LOG}/')}/{name}", actions, PLAIN)

    def parquet(self, name: str, actions: Actions, schema: pa.Schema) -> None:
        path = self.root / LOG / name
        path.parent.mkdir(exist_ok=True)
        rows = [{field.name: action.get(field.name) for field in schema} for action in actions]
        pq.write_table(pa.Table.from_pylist(rows, schema), path)


# A folder of Parquet files on this disk, with Iceberg metadata over it as XTable would leave it.

NOON = 1_704_110_400
"""2024-01-01T12:00:00Z, in seconds: the time of modification of the first file."""


def rows(first: int, count: int = 5, **more: pa.Array) -> pa.Table:
    numbers = range(first, first + count)
    return pa.table({"n": pa.array(numbers, pa.int64()), "s": [f"row {one}" for one in numbers], **more})


FILES = {"a.parquet": rows(0), "b.parquet": rows(5), "later/c.parquet": rows(10)}
"""Each a minute younger than the one before it."""


def time_of(place: int) -> int:
    """The time of modification of the file at that place, in milliseconds."""
    return (NOON + 60 * place) * 1000


def folder_at(root: Path, files: Mapping[str, pa.Table] = FILES) -> Path:
    """The files below `root`."""
    for place, (name, table) in enumerate(files.items()):
        put(root / name, table, place)
    return root


def put(file: Path, table: pa.Table, place: int) -> None:
    """Writes a file as old as the one at that place."""
    file.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, file)
    os.utime(file, (NOON + 60 * place,) * 2)


def translate(root: Path, names: Iterable[str] = FILES, synced: int = time_of(len(FILES) - 1)) -> None:
    """Iceberg metadata of these files, in the folder itself, synced up to that time of modification."""
    files = [f"file://{root / name}" for name in names]
    catalog = SqlCatalog(root.name, uri="sqlite:///:memory:", warehouse=f"file://{root.parent}")
    catalog.create_namespace("t")
    schema = pq.read_schema(files[0].removeprefix("file://"))
    made = {PROPERTY: json.dumps(told("parquet", str(synced)))}
    catalog.create_table("t.t", schema, f"file://{root}", properties=made).add_files(files)
    catalog.close()

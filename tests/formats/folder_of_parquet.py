"""A folder of Parquet files on this disk, with Iceberg metadata over it as XTable would leave it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.catalog.sql import SqlCatalog

from tests.cli.translated import told
from xtable_audit.table.synced import PROPERTY

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

"""An Iceberg table in a folder of this disk, by PyIceberg, and a Delta log over its files as XTable would leave it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import Schema
from pyiceberg.catalog.sql import SqlCatalog

from tests.tables.hand_written import PROTOCOL
from tests.tables.translated import told
from xtable_audit.model.delta_version import LOG
from xtable_audit.table.synced import PROPERTY


def rows(first: int, number: int = 2) -> pa.Table:
    numbers = range(first, first + number)
    return pa.table({"n": pa.array(numbers, pa.int64()), "s": pa.array([f"s{one}" for one in numbers])})


@contextmanager
def iceberg(root: Path, **options: str) -> Iterator[Any]:
    """PyIceberg's table, without a row."""
    catalog = SqlCatalog("tests", uri="sqlite:///:memory:", warehouse=f"file://{root.parent}")
    try:
        catalog.create_namespace("lake")
        yield catalog.create_table("lake.t", rows(0).schema, location=f"file://{root}", properties=options)
    finally:
        catalog.close()


def snapshots(table: Any) -> list[str]:
    return [str(one.snapshot_id) for one in table.metadata.snapshots]


def files(table: Any) -> list[str]:
    """Paths of the live files below the table."""
    planned = (task.file.file_path for task in table.scan().plan_files())
    return sorted(one.removeprefix(f"{table.location()}/") for one in planned)


def translate(table: Any, paths: Collection[str], snapshot: str) -> None:
    """A Delta log of those files, which says that this snapshot was synced last."""
    root = Path(table.location().removeprefix("file://"))
    schema = json.loads(Schema.from_arrow(rows(0).schema).to_json())
    metadata = {
        "id": "t",
        "format": {"provider": "parquet", "options": {}},
        "schemaString": json.dumps(schema),
        "partitionColumns": [],
        "configuration": {PROPERTY: json.dumps(told("iceberg", snapshot))},
    }
    adds = (
        {"path": path, "partitionValues": {}, "size": (root / path).stat().st_size, "modificationTime": 0,
         "dataChange": True}
        for path in paths
    )  # fmt: skip
    actions = [PROTOCOL, {"metaData": metadata}, *({"add": one} for one in adds)]
    shutil.rmtree(root / LOG, ignore_errors=True)
    (root / LOG).mkdir()
    (root / LOG / f"{0:020}.json").write_text("".join(f"{json.dumps(one)}\n" for one in actions), encoding="utf-8")

"""One healthy table in two formats: four files of random values, large enough that a footer is not the file."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import deltalake
import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.transforms import IdentityTransform

from lab.store import objects
from lab.store.address import Workspace
from xtable_audit.model.subject_id import DELTA, ICEBERG

PARTS = ("a", "b", "c", "d")
ROWS = 100_000
"""Of each part, which is one file."""
_SINCE = datetime(2023, 1, 1, tzinfo=UTC).replace(tzinfo=None)
_SECONDS = 10**8
_SCHEMA = pa.schema(
    {
        "part": pa.string(),
        "id": pa.int64(),
        "amount": pa.float64(),
        "at": pa.timestamp("us"),
        "day": pa.date32(),
        "name": pa.string(),
    }
)


@dataclass(frozen=True)
class HealthyTable:
    """Where a reader finds it, its data files (key -> size in bytes), and its rows."""

    location: str
    sizes: Mapping[str, int]
    rows: pa.Table


def rows_of() -> pa.Table:
    """`id` counts through the files, which so have ranges of their own; every seventh `amount` is null."""
    drawn = random.Random(34)
    number = range(ROWS * len(PARTS))
    moments = [_SINCE + timedelta(seconds=drawn.randrange(_SECONDS)) for _ in number]
    columns = {
        "part": [PARTS[id // ROWS] for id in number],
        "id": number,
        "amount": [None if id % 7 == 0 else drawn.uniform(-1000, 1000) for id in number],
        "at": moments,
        "day": [moment.date() for moment in moments],
        "name": [f"{drawn.getrandbits(128):032x}" for _ in number],
    }
    return pa.table([pa.array(columns[field.name], field.type) for field in _SCHEMA], _SCHEMA)


def written(format: str, store: Workspace, folder: Path) -> HealthyTable:
    """The table in that format (ICEBERG or DELTA) on the store; `folder` is for a catalog."""
    rows, root = rows_of(), store.uri(f"shortcuts/{format}")
    location = {ICEBERG: _iceberg, DELTA: _delta}[format](rows, root, store, folder)
    sizes = objects.list_objects(store, f"shortcuts/{format}")
    return HealthyTable(location, {key: size for key, size in sizes.items() if key.endswith(".parquet")}, rows)


def _iceberg(rows: pa.Table, root: str, store: Workspace, folder: Path) -> str:
    settings = {"uri": f"sqlite:///{folder}/catalog.db", "warehouse": root, **store.pyiceberg()}
    with SqlCatalog("shortcuts", **settings) as catalog:
        catalog.create_namespace("t")
        table = catalog.create_table("t.healthy", rows.schema, location=root)
        with table.update_spec() as spec:
            spec.add_field("part", IdentityTransform(), "part")
        table.append(rows)
        return table.metadata_location


def _delta(rows: pa.Table, root: str, store: Workspace, folder: Path) -> str:
    deltalake.write_deltalake(root, rows, partition_by=["part"], storage_options=store.object_store())
    return f"{root}/_delta_log/{0:020}.json"

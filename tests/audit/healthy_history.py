"""A healthy history: three files that came one by one, the last with a column more; a sync that failed between them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pyarrow.parquet as pq
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import Table as IcebergTable
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import IntegerType

from tests.audit.healthy import Stage, Table
from tests.audit.mirror import Mirror
from tests.audit.typed import PARTITION, ROWS, write_typed_files

STATE = "XTABLE_METADATA"
FIRST, SECOND, FAILED, THIRD, IDLE, FULL = range(6)
"""The places of the syncs."""
LATER = "later"


def history(mirror: Mirror) -> Table:
    """By PyIceberg's `add_files`, a commit a file."""
    id = "history"
    root = mirror.uri(id)
    files = write_typed_files(mirror, id)
    _with_a_column_more(mirror, files[-1])
    mirror.file(f"{root}/metadata").mkdir(parents=True, exist_ok=True)
    catalog = SqlCatalog("tests", uri="sqlite:///:memory:", warehouse=root, **mirror.pyiceberg)
    catalog.create_namespace("tests")
    table = catalog.create_table(f"tests.{id}", schema=pq.read_schema(mirror.file(files[0])), location=root)
    with table.update_spec() as spec:
        spec.add_field(PARTITION, IdentityTransform(), PARTITION)
    first = _synced(table, files[:1], "2024-01-01T00:00:00Z")
    second = _synced(table, files[1:2], "2024-01-01T00:00:00.500Z")
    with table.update_schema() as schema:
        schema.add_column(LATER, IntegerType())
    third = _synced(table, files[2:], "2024-01-02T00:00:00Z")
    full = _synced(table, [], "2024-01-02T00:00:00Z")
    catalog.close()
    stages = (
        Stage("bulk_insert", "first", first, tuple(files[:1]), ROWS),
        Stage("upsert", "incremental", second, tuple(files[:2]), 2 * ROWS),
        Stage("a commit that XTable cannot read", "incremental", second, tuple(files), 3 * ROWS, "it cannot be read"),
        Stage("nothing", "incremental", third, tuple(files), 3 * ROWS),
        Stage("nothing", "idle", third, tuple(files), 3 * ROWS),
        Stage("nothing", "full", full, tuple(files), 3 * ROWS),
    )
    return replace(Table(id, mirror, root, third, (PARTITION,), ("int", PARTITION)), stages=stages)


def _with_a_column_more(mirror: Mirror, uri: str) -> None:
    rows = pq.read_table(mirror.file(uri))
    pq.write_table(rows.append_column(LATER, rows["int"]), mirror.file(uri))


def _synced(table: IcebergTable, files: Sequence[str], instant: str) -> str:
    """The address of metadata with these files and this instant."""
    if files:
        table.add_files(list(files))
    with table.transaction() as transaction:
        transaction.set_properties({STATE: json.dumps({"lastInstantSynced": instant})})
    return table.metadata_location

"""Delta tables on moto, by delta-rs, over the rows of the Iceberg tables, and every embedded reader of them.

Beside them copies with a log that says something else of the same files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from deltalake import DeltaTable, write_deltalake

from lab.engines.readers import embedded, open_reader
from lab.store import objects
from lab.store.address import Workspace
from lab.store.running import RunningStore
from tests.xtable_audit.readers.conftest import MONTHS, ROWS, SCHEMA, make_rows
from xtable_audit.model.subject_id import DELTA
from xtable_audit.readers.reader import Reader

Edit = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class LoggedTable:
    root: str
    newest: int
    data: tuple[str, ...]
    """The keys of the data files, in the order of the commits that added them."""

    def at(self, version: int) -> str:
        return f"{self.root}/_delta_log/{version:020}.json"

    @property
    def metadata(self) -> str:
        return self.at(self.newest)


@dataclass(frozen=True)
class DeltaTables:
    store: RunningStore
    rows: tuple[dict[str, Any], ...]
    by_month: LoggedTable
    """Not partitioned; one file a month, each in a commit of its own."""
    partitioned: LoggedTable
    """Partitioned by month, in one commit."""
    scattered: LoggedTable
    """Not partitioned; every file holds rows of every month."""


@pytest.fixture(scope="session")
def tables(moto_store: RunningStore) -> DeltaTables:
    rows = make_rows()
    everything = pa.Table.from_pylist(rows, SCHEMA)
    by_month = [everything.filter(pc.equal(everything["month"], month)) for month in MONTHS]
    by_turns = [everything.take(list(range(turn, ROWS, 4))) for turn in range(4)]
    return DeltaTables(
        moto_store,
        tuple(rows),
        by_month=written(moto_store, "delta/by_month", by_month),
        partitioned=written(moto_store, "delta/partitioned", [everything], partition_by=["month"]),
        scattered=written(moto_store, "delta/scattered", by_turns),
    )


def written(running: RunningStore, key: str, commits: Iterable[pa.Table], **options: Any) -> LoggedTable:
    root, store = running.store.uri(key), running.store
    for rows in commits:
        write_deltalake(root, rows, mode="append", storage_options=store.object_store(), **options)
    table = DeltaTable(root, storage_options=store.object_store())
    return LoggedTable(root, table.version(), tuple(reversed([store.key(uri) for uri in table.file_uris()])))


@pytest.fixture(params=embedded(DELTA))
def reader(request: pytest.FixtureRequest, readers: dict[str, Reader], moto_store: RunningStore) -> Reader:
    name: str = request.param
    if name not in readers:
        readers[name] = open_reader(name, moto_store.guest(f"reader-{name}").store)
    return readers[name]


def falsified(store: Workspace, table: LoggedTable, name: str, **edits: Edit) -> LoggedTable:
    """A copy of the table beside it, with every action of these kinds edited. An `add` has its statistics parsed."""
    root, old = f"{table.root}_{name}", store.key(table.root)
    for key in objects.list_objects(store, old + "/"):
        body = objects.read(store, key)
        if "/_delta_log/" in key and key.endswith(".json"):
            body = b"\n".join(_edited(line, edits) for line in body.splitlines())
        objects.write(store, key.replace(old, store.key(root), 1), body)
    return LoggedTable(root, table.newest, tuple(key.replace(old, store.key(root), 1) for key in table.data))


def _edited(line: bytes, edits: dict[str, Edit]) -> bytes:
    action = json.loads(line)
    for kind, edit in edits.items():
        if kind in action:
            entry = action[kind]
            parsed = {"stats": json.loads(entry["stats"])} if kind == "add" else {}
            entry |= parsed
            edit(entry)
            entry |= {name: json.dumps(entry[name]) for name in parsed if name in entry}
    return json.dumps(action).encode()

"""Three small tables on moto, each of four files with 50 rows, and every reader over them."""

from __future__ import annotations

import datetime as dt
import io
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from lab.engines.readers import EMBEDDED, open_reader
from lab.store import objects
from lab.store.running import RunningStore
from tests.lab.store.conftest import moto_store
from tests.tables.shortcut_tables import HealthyTables
from xtable_audit.readers.reader import Reader

__all__ = ["moto_store"]

MONTHS = ("2023-01", "2023-02", "2023-03", "2023-04")
ROWS = 200

SCHEMA = pa.schema(
    {
        "id": pa.int64(),
        "month": pa.string(),
        "vendor": pa.int32(),
        "trips": pa.int64(),
        "distance": pa.float64(),
        "rating": pa.float32(),
        "zone": pa.string(),
        "zone_to": pa.string(),
        "flag": pa.string(),
        "fare": pa.decimal128(10, 2),
        "total": pa.decimal128(38, 10),
        "tip": pa.decimal128(18, 0),
        "day": pa.date32(),
        "picked_up": pa.timestamp("us"),
        "dropped_off": pa.timestamp("us"),
        "recorded": pa.timestamp("us", "UTC"),
        "shared": pa.bool_(),
        "raw": pa.binary(),
        "stops": pa.list_(pa.string()),
        "place": pa.struct({"x": pa.float64(), "y": pa.float64()}),
    }
)


def make_rows() -> list[dict[str, Any]]:
    """Month by month in four equal parts; nulls in some columns, none of them NaN."""
    rows = []
    for i in range(ROWS):
        month = i // (ROWS // len(MONTHS))
        moment = dt.datetime(2023, month + 1, 1 + i % 28, i % 24, 30, 15, i)
        rows.append(
            {
                "id": i,
                "month": MONTHS[month],
                "vendor": i % 3,
                "trips": None if i % 7 == 0 else i * 10_000_000_000,
                "distance": None if i % 13 == 0 else i / 4,
                "rating": float(i % 5) / 2,
                "zone": None if i % 11 == 0 else f"zone_{i % 9}",
                "zone_to": "it's 100% é😀\\" if i % 10 == 0 else f"Z{i}",
                "flag": "N",
                "fare": Decimal(i * 7) / 100,
                "total": None if i % 17 == 0 else Decimal(i) / 8,
                "tip": Decimal(i * 10**15),
                "day": dt.date(2023, month + 1, 1 + i % 28),
                "picked_up": moment,
                "dropped_off": None if i % 19 == 0 else moment + dt.timedelta(minutes=i),
                "recorded": moment.replace(tzinfo=dt.UTC),
                "shared": None if i % 23 == 0 else i % 2 == 0,
                "raw": bytes([i, 255 - i]),
                "stops": [f"s{i}"],
                "place": {"x": float(i), "y": None},
            }
        )
    return rows


@dataclass(frozen=True)
class Table:
    """One table: where its metadata is, and which keys hold its data."""

    metadata: str
    data: tuple[str, ...]


@dataclass(frozen=True)
class Tables:
    store: RunningStore
    rows: tuple[dict[str, Any], ...]
    native: Table
    """Written by PyIceberg, partitioned by month: field ids in the files."""
    added: Table
    """Plain Parquet without field ids, registered with add_files, elsewhere than its metadata; partitioned by month."""
    scattered: Table
    """Not partitioned; every file holds rows of every month."""


@pytest.fixture(scope="session")
def tables(moto_store: RunningStore, tmp_path_factory: pytest.TempPathFactory) -> Tables:
    rows = make_rows()
    everything = pa.Table.from_pylist(rows, SCHEMA)
    by_month = [everything.filter(pc.equal(everything["month"], month)) for month in MONTHS]
    by_turns = [everything.take(list(range(turn, ROWS, 4))) for turn in range(4)]
    with _catalog(moto_store, tmp_path_factory.mktemp("catalog")) as catalog:
        catalog.create_namespace("t")
        native = catalog.create_table("t.native", SCHEMA)
        with native.update_spec() as spec:
            spec.add_identity("month")
        native.append(everything)

        scattered = catalog.create_table("t.scattered", SCHEMA)
        for part in by_turns:
            scattered.append(part)

        added = catalog.create_table("t.added", SCHEMA, location=moto_store.store.uri("control/added"))
        with added.update_spec() as spec:
            spec.add_identity("month")
        added.add_files([_plain_parquet(moto_store, part) for part in by_month])
        return Tables(moto_store, tuple(rows), *(_table(moto_store, t) for t in (native, added, scattered)))


def _catalog(running: RunningStore, folder: Path) -> SqlCatalog:
    return SqlCatalog(
        "tests", uri=f"sqlite:///{folder}/c.db", warehouse=running.store.uri("wh"), **running.store.pyiceberg()
    )


def _plain_parquet(running: RunningStore, part: pa.Table) -> str:
    month = part["month"][0].as_py()
    body = io.BytesIO()
    pq.write_table(part, body)
    key = f"hudi/month={month}/part-{month}.parquet"
    objects.write(running.store, key, body.getvalue())
    return running.store.uri(key)


def _table(running: RunningStore, table: Any) -> Table:
    paths = table.inspect.files()["file_path"].to_pylist()
    return Table(table.metadata_location, tuple(sorted(running.store.key(path) for path in paths)))


@pytest.fixture(scope="session")
def readers(moto_store: RunningStore) -> dict[str, Reader]:
    """Opened at first use, one a session."""
    return {}


@pytest.fixture(params=list(EMBEDDED))
def reader(request: pytest.FixtureRequest, readers: dict[str, Reader], moto_store: RunningStore) -> Reader:
    name: str = request.param
    if name not in readers:
        readers[name] = open_reader(name, moto_store.guest(f"reader-{name}").store)
    return readers[name]


@pytest.fixture(scope="session")
def healthy_tables(moto_store: RunningStore, tmp_path_factory: pytest.TempPathFactory) -> HealthyTables:
    return HealthyTables(moto_store, tmp_path_factory.mktemp("shortcuts"))

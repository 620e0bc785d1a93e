"""What `check` says of readers while a bound is false: as they are they lose the row, and in that way they find it."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyiceberg.catalog.sql import SqlCatalog

import xtable_audit.readers.polars_reader  # noqa: F401 - by its import, PyIceberg plans for Polars
from lab.store import objects
from lab.store.running import RunningStore
from tests.other_writers.every_claim import document_of
from tests.tables.draft import Draft
from tests.tables.healthy import Table
from tests.tables.mirror import Mirror
from xtable_audit.access.s3 import S3
from xtable_audit.check.what_to_do import stopgaps
from xtable_audit.formats.iceberg.format import TARGET as ICEBERG
from xtable_audit.model.predicate import Compare
from xtable_audit.readers.clickhouse_reader import SETTINGS, ClickHouseReader
from xtable_audit.readers.duckdb_reader import DuckDBReader
from xtable_audit.readers.expressions import expression
from xtable_audit.readers.pyiceberg_reader import open_table
from xtable_audit.readers.reader import Reader
from xtable_audit.readers.sql_dialects import CLICKHOUSE, DUCKDB

WAYS = ICEBERG.check.advice.stopgaps
VALUES: Mapping[str, tuple[pa.DataType, Callable[[int], Any]]] = {
    "a long": (pa.int64(), int),
    "whole": (pa.int32(), int),
    "single": (pa.float32(), float),
    "double": (pa.float64(), float),
    "text": (pa.string(), "s{:02}".format),
    "moment": (pa.timestamp("us"), lambda i: dt.datetime(2023, 1, i, 1, 2, 3, 4)),
    "instant": (pa.timestamp("us", "UTC"), lambda i: dt.datetime(2023, 1, i, 1, 2, 3, 4, tzinfo=dt.UTC)),
    "day": (pa.date32(), lambda i: dt.date(2023, 1, i)),
    'mon"ey': (pa.decimal128(9, 2), Decimal),
}
FILES = ((1, 2, 3), (11, 12, 13))
"""What is in the two files, of which each has the bounds of the other."""


@dataclass(frozen=True)
class Exchanged:
    store: RunningStore
    draft: Draft
    location: str


@pytest.fixture(scope="module")
def exchanged(moto_store: RunningStore, tmp_path_factory: pytest.TempPathFactory) -> Exchanged:
    """The table in a mirror, and at the same address in the store."""
    folder = tmp_path_factory.mktemp("exchanged")
    mirror = Mirror(folder / "healthy")
    root = mirror.uri("lake/orders")
    for name in ("metadata", "data"):
        mirror.file(f"{root}/{name}").mkdir(parents=True)
    catalog = SqlCatalog("lake", uri="sqlite:///:memory:", warehouse=mirror.uri("lake"), **mirror.pyiceberg)
    catalog.create_namespace("shop")
    parts = [
        pa.table({name: pa.array(map(made, places), kind) for name, (kind, made) in VALUES.items()}) for places in FILES
    ]
    table = catalog.create_table("shop.orders", parts[0].schema, location=root)
    for part in parts:
        table.append(part)
    catalog.close()
    draft = Draft.of(Table("orders", mirror, root, table.metadata_location, (), ()), folder / "spoilt")
    for column, said in draft.table.case.stored.columns.items():
        for place in range(len(FILES)):
            for side in ("lower", "upper"):
                draft.put(place, f"{side}_bounds", column, said[side][1 - place].as_py())
    objects.upload(moto_store.store, "lake/orders", draft.mirror.file(root))
    return Exchanged(moto_store, draft, table.metadata_location)


def test_the_advice_is_printed_beneath_the_finding(exchanged: Exchanged) -> None:
    document = document_of("orders", exchanged.draft.mirror, exchanged.location)
    [finding] = [one.finding for one in document.claims if one.claim == "bounds_contain_values"]
    assert finding is not None
    assert finding.advice[-1].endswith(f"{finding.column}: {stopgaps(WAYS, str(finding.column))}")


@pytest.mark.parametrize("reader", WAYS, indirect=True)
def test_as_it_is_a_reader_loses_the_row(reader: Reader, exchanged: Exchanged) -> None:
    assert reader.query(exchanged.location, Compare("a long", "=", 2)).rows == 0


def _duckdb(store: S3, location: str, told: str, column: str, value: Any) -> int:
    """`told` is what the advice has of this reader."""
    [written] = re.findall(r"if conditions have (.+) for the column", told)
    query = f"SELECT count(*) FROM iceberg_scan('{location}') WHERE {written} = {DUCKDB.literal(value)}"
    return int(DuckDBReader(store)._connection.execute(query).fetchall()[0][0])


def _clickhouse(store: S3, location: str, told: str, column: str, value: Any) -> int:
    reader = ClickHouseReader(store)
    [setting] = re.findall(r"SETTINGS (.+)$", told)
    condition = CLICKHOUSE.where(Compare(column, "=", value))
    [[rows]] = reader._rows(f"SELECT count() FROM {reader._table(location)}{condition} SETTINGS {setting}, {SETTINGS}")
    reader._connection.close()
    return int(rows)


def _polars(store: S3, location: str, told: str, column: str, value: Any) -> int:
    scanned = partial(pl.scan_iceberg, storage_options=store.pyiceberg())
    names = {"scan_iceberg": scanned, "table": open_table(location, store)}
    frame = eval(told.partition(" by ")[2], names)
    return int(frame.filter(expression(Compare(column, "=", value))).collect().height)


def _pyiceberg(store: S3, location: str, told: str, column: str, value: Any) -> int:
    condition = pc.field(column) == pa.scalar(value, VALUES[column][0])
    found = eval(told.partition(" by ")[2], {"table": open_table(location, store), "condition": condition})
    return int(found.num_rows)


FOLLOWED: Mapping[str, Callable[[S3, str, str, str, Any], int]] = {
    "duckdb": _duckdb,
    "clickhouse": _clickhouse,
    "polars": _polars,
    "pyiceberg": _pyiceberg,
}


@pytest.mark.parametrize("column", VALUES)
@pytest.mark.parametrize(("reader", "way"), [*zip(WAYS, range(len(WAYS)), strict=True)])
def test_in_that_way_the_reader_finds_the_row(reader: str, way: int, column: str, exchanged: Exchanged) -> None:
    value = VALUES[column][1](2)
    told = stopgaps(WAYS, column).split("; ")[way]
    assert FOLLOWED[reader](exchanged.store.store, exchanged.location, told, column, value) == 1

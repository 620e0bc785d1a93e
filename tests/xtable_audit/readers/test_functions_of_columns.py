"""A function of a column has every row of a healthy table, where its bounds are hardest to reason by."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from contextlib import closing
from typing import Any

import deltalake
import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from lab.engines.readers import open_reader
from lab.store.running import RunningStore
from tests.of_each import of_each
from xtable_audit.model.aggregate import OF_FUNCTIONS, Applied, where
from xtable_audit.model.predicate import IsNull
from xtable_audit.model.subject_id import DELTA, ICEBERG
from xtable_audit.readers.registry import ADAPTERS

SCHEMA = pa.schema({"i": pa.int64(), "t": pa.timestamp("us")})
FILES = {
    "on both sides of a power of ten": ((5, 10), "2023-05-01", "2023-06-30T23:59:59.999999"),
    "on both sides of zero, a leap day between": ((-10, 5), "2023-02-27", "2024-03-01"),
    "below zero, on both sides of 1970": ((-(2**62), -7), "1969-12-31T23:00", "1970-01-01T01:00"),
    "of three digits, on both sides of a new year": ((95, 105), "2022-12-30", "2023-01-02"),
    "of the first year": ((-9, -8), "0001-01-01", "0001-02-01"),
}
"""Least and greatest values of each file."""
BY_FUNCTION: Mapping[Applied, tuple[str, Callable[[Any], Any], tuple[Any, ...]]] = {
    "date": ("t", dt.datetime.date, (dt.date(2023, 6, 30), dt.date(1970, 1, 1), dt.date(1, 1, 1))),
    "month": ("t", lambda moment: moment.month, tuple(range(1, 13))),
    "abs": ("i", abs, (5, 7, 8, 9, 10, 2**62)),
    "text": ("i", str, ("5", "7", "07", "+5", " 5", "10", "-10", "100", "105")),
}
"""The column, the function in Python, and the values that are asked for."""
READERS = tuple(name for name, adapter in ADAPTERS.items() if {*adapter.capabilities.shortcuts} & {*OF_FUNCTIONS})


@pytest.fixture(scope="module")
def tables(moto_store: RunningStore, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """By format, where a reader finds the table: a file of two rows for each entry of FILES."""
    store, folder = moto_store.store, tmp_path_factory.mktemp("catalog")
    root = store.uri("functions")
    with SqlCatalog("functions", uri=f"sqlite:///{folder}/c.db", **store.pyiceberg()) as catalog:
        catalog.create_namespace("t")
        table = catalog.create_table("t.t", SCHEMA, f"{root}/iceberg")
        for file in files():
            table.append(file)
            deltalake.write_deltalake(f"{root}/delta", file, mode="append", storage_options=store.object_store())
        return {
            ICEBERG: table.metadata_location,
            DELTA: f"{root}/delta/_delta_log/{len(FILES) - 1:020}.json",
        }


def files() -> list[pa.Table]:
    return [
        pa.table({"i": numbers, "t": [dt.datetime.fromisoformat(moment) for moment in moments]}, SCHEMA)
        for numbers, *moments in FILES.values()
    ]


@of_each("name", READERS)
def test_a_function_of_a_column_has_every_row(tables: Mapping[str, str], moto_store: RunningStore, name: str) -> None:
    rows = pa.concat_tables(files())
    found, true = {}, {}
    with closing(open_reader(name, moto_store.guest("functions").store)) as reader:
        for function, (column, made_of, asked) in BY_FUNCTION.items():
            values = [made_of(value) for value in rows[column].to_pylist()]
            for one in asked:
                question = where(function, one, IsNull(column))
                [found[str(question)]] = reader.aggregate(tables[ADAPTERS[name].formats[0]], [question])
                true[str(question)] = values.count(one)
    assert found == true

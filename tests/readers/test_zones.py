"""Times whose files have a zone where the metadata says that they have none, or the other way round.

PyIceberg, Polars, Daft and ClickHouse read them as UTC. DuckDB reads them in the zone of its session: outside UTC it
loses the row that a user asks for, so that `misread` calls them UNSOUND.
"""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from xtable_audit.readers.duckdb_reader import EXTENSIONS, extension_file

NOON = dt.datetime(2024, 1, 1, 12)
STORED = {"none": pa.timestamp("us"), "UTC": pa.timestamp("us", "UTC")}


def written(folder: Path, declared: pa.DataType, stored: pa.DataType) -> str:
    """The metadata of a table of one row, whose column is of `declared` type there and of `stored` type in its file."""
    rows = pa.table({"moment": pa.array([NOON], declared)})
    catalog = SqlCatalog("zones", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}")
    catalog.create_namespace("n")
    table = catalog.create_table("n.t", rows.schema)
    table.append(rows)
    [task] = table.scan().plan_files()
    catalog.close()
    file = Path(task.file.file_path.removeprefix("file://"))
    field = pq.read_schema(file).field(0)
    values = pa.array([NOON], stored)
    pq.write_table(pa.table([values], schema=pa.schema([field.with_type(stored)])), file)
    return table.metadata_location


def found_by_duckdb(metadata: str, zone: str, literal: str) -> int:
    with duckdb.connect(":memory:") as session:
        for extension in EXTENSIONS:
            session.load_extension(str(extension_file(extension)))
        session.execute(f"SET TimeZone = '{zone}'")
        found = session.execute(f"SELECT count(*) FROM iceberg_scan('{metadata}') WHERE moment = {literal}").fetchone()
    assert found is not None
    return int(found[0])


@pytest.mark.parametrize(
    ("declared", "stored", "literal"),
    [
        ("none", "UTC", "TIMESTAMP '2024-01-01 12:00:00'"),
        ("UTC", "none", "TIMESTAMPTZ '2024-01-01 12:00:00+00'"),
    ],
    ids=["a zone in the file alone", "a zone in the metadata alone"],
)
@pytest.mark.parametrize(("zone", "rows"), [("UTC", 1), ("Asia/Kolkata", 0)])
def test_duckdb_finds_the_row_in_utc_alone(
    tmp_path: Path, declared: str, stored: str, literal: str, zone: str, rows: int
) -> None:
    assert found_by_duckdb(written(tmp_path, STORED[declared], STORED[stored]), zone, literal) == rows


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata"])
def test_duckdb_finds_the_row_of_a_file_of_the_declared_type_in_every_zone(tmp_path: Path, zone: str) -> None:
    metadata = written(tmp_path, STORED["none"], STORED["none"])
    assert found_by_duckdb(metadata, zone, "TIMESTAMP '2024-01-01 12:00:00'") == 1

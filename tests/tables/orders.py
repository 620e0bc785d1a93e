"""A small table that this suite's builders did not write: PyIceberg's, on this disk."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.catalog.sql import SqlCatalog

ORDERS = pa.table({"id": [1, 2, 3], "price": [1.5, None, 9.25], "city": ["Rome", "Oslo", "Rome"]})


@pytest.fixture
def orders(tmp_path: Path) -> tuple[str, Path]:
    """The address of its metadata.json, and its data file."""
    catalog = SqlCatalog("here", uri=f"sqlite:///{tmp_path}/catalog.db", warehouse=f"file://{tmp_path}")
    catalog.create_namespace("shop")
    table = catalog.create_table("shop.orders", ORDERS.schema)
    table.append(ORDERS)
    [task] = table.scan().plan_files()
    catalog.close()
    return table.metadata_location, Path(task.file.file_path.removeprefix("file://"))


def falsify(data_file: Path) -> None:
    """Makes the upper bound of `id` false: the file then holds 7."""
    data = pq.read_table(data_file)
    pq.write_table(data.set_column(0, data.schema.field("id"), pa.array([1, 2, 7])), data_file)

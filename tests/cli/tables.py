"""Tables by PyIceberg on this disk, as users have them: healthy ones, and some whose data files were exchanged."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import Table
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import StringType

XTABLE = {"XTABLE_METADATA": json.dumps({"version": 0, "sourceTableFormat": "HUDI"})}
START = dt.datetime(2023, 2, 5, 1, 2, 3, 123000)
LEAST = 200
"""Characters of padding from which each one more is one byte more."""
Change = Callable[[pa.Table], pa.Table]


@dataclass(frozen=True)
class Lake:
    """A warehouse and its catalog."""

    folder: Path
    catalog: SqlCatalog

    @classmethod
    def at(cls, folder: Path) -> Lake:
        catalog = SqlCatalog("lake", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}")
        catalog.create_namespace("shop")
        return cls(folder, catalog)

    def table(self, name: str, *files: pa.Table, **properties: str) -> Table:
        """A table of these rows, an append for each file."""
        told = {"write.parquet.compression-codec": "uncompressed", **properties}
        table = self.catalog.create_table(f"shop.{name}", files[0].schema, properties=told)
        for rows in files:
            table.append(rows)
        return table

    def evolved(self) -> Table:
        """Schema and spec changed, and rows deleted, since the first files were written."""
        table = self.table("evolved", *(orders(number) for number in range(3)))
        with table.update_schema() as schema:
            schema.add_column("note", StringType())
            schema.rename_column("price", "cost")
        with table.update_spec() as spec:
            spec.add_field("city", IdentityTransform(), "town")
        more = orders(3).rename_columns(["id", "cost", "city", "remark", "at"])
        table.append(more.append_column("note", pa.array(["x" * 40] * len(more))))
        table.delete("id == 5")
        return table

    def root(self, name: str) -> Path:
        return self.folder / "shop" / name


def orders(number: int = 0, rows: int = 20) -> pa.Table:
    """Some orders; those of each number have ids and times of their own."""
    ids = range(number * rows, (number + 1) * rows)
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "price": pa.array([None if id % 7 == 0 else id * 1.5 for id in ids], pa.float64()),
            "city": ["Rome" if id % 2 else "Oslo" for id in ids],
            "remark": ["nothing to remark; " * 30] * rows,
            "at": pa.array([START + dt.timedelta(days=id) for id in ids], pa.timestamp("us")),
        }
    )


def data_files(table: Table) -> list[Path]:
    return sorted(Path(task.file.file_path.removeprefix("file://")) for task in table.scan().plan_files())


def exchange(file: Path, change: Change) -> None:
    """Changes the values of a data file, whose size and metadata stay."""
    held, size = pq.read_table(file), file.stat().st_size
    rows = change(held).cast(held.schema)
    padding = LEAST + size - len(_parquet(rows, LEAST))
    content = _parquet(rows, padding)
    assert (padding >= LEAST, len(content)) == (True, size), f"{file.name} cannot be filled up to its size"
    file.write_bytes(content)


def _parquet(rows: pa.Table, padding: int) -> bytes:
    """Without statistics it is smaller than PyIceberg's file, and can be filled up."""
    sink = pa.BufferOutputStream()
    options = {"write_statistics": False, "store_schema": False, "compression": "zstd"}
    with pq.ParquetWriter(sink, rows.schema, **options) as writer:
        writer.write_table(rows)
        writer.add_key_value_metadata({"padding": "x" * padding})
    return bytes(sink.getvalue())


def with_column(name: str, values: Callable[[pa.ChunkedArray], pa.Array | pa.ChunkedArray]) -> Change:
    return lambda held: held.set_column(held.schema.get_field_index(name), held.schema.field(name), values(held[name]))

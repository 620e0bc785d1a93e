"""Tables by PyIceberg, delta-rs and Polars on this disk, as users have them, and changes of their files and logs."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import polars
import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable, Schema, write_deltalake
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


# Delta tables by delta-rs and Polars on this disk, and changes of what their logs say.

Record = dict[str, Any]
ChangeAdd = Callable[[Record, Record], None]
"""Changes an `add` and the statistics in it."""


def by_delta_rs(root: Path, *files: pa.Table, **options: Any) -> Path:
    """A table of these rows, a version for each file."""
    for rows in files or (orders(0), orders(1), orders(2)):
        write_deltalake(str(root), rows, mode="append", **options)
    return root


def by_polars(root: Path) -> Path:
    for number in range(3):
        polars.from_arrow(orders(number)).write_delta(str(root), mode="append")  # type: ignore[union-attr]
    return root


def log_file(root: Path, version: int) -> Path:
    return root / "_delta_log" / f"{version:020}.json"


def change_log(root: Path, version: int, change: Callable[[Record], None]) -> None:
    """Changes every action of a commit."""
    file = log_file(root, version)
    actions = [json.loads(line) for line in file.read_text().splitlines()]
    for action in actions:
        change(action)
    file.write_text("".join(f"{json.dumps(action)}\n" for action in actions))


def change_add(root: Path, version: int, change: ChangeAdd) -> None:
    """Changes the file that a version adds, and its statistics."""

    def of(action: Record) -> None:
        if add := action.get("add"):
            statistics = json.loads(add["stats"])
            change(add, statistics)
            add["stats"] = json.dumps(statistics)

    change_log(root, version, of)


def change_protocol(root: Path, **fields: Any) -> None:
    change_log(root, 0, lambda action: action.get("protocol", {}).update(fields))


def configure(root: Path, **settings: str) -> None:
    change_log(root, 0, lambda action: action.get("metaData", {}).update(configuration=settings))


def say_engine(root: Path, version: int, engine: str, **more: Any) -> None:
    """What the commit says of who made it, and `more`; nothing by an empty text."""

    def change(action: Record) -> None:
        if info := action.get("commitInfo"):
            del info["engineInfo"]
            info.update(more | ({"engineInfo": engine} if engine else {}))

    change_log(root, version, change)


def checkpointed(root: Path) -> Path:
    """The table with a checkpoint of its newest version, and none of the commits before."""
    DeltaTable(str(root)).create_checkpoint()
    for file in (root / "_delta_log").glob("*.json"):
        file.unlink()
    return root


def over_hudi(root: Path, files: list[Path], synced: str, partition_by: str) -> Path:
    """A log over the files of a Hudi table, as XTable would leave it: statistics are optional."""
    schema = pq.read_schema(files[0])
    actions: list[Record] = [
        {"commitInfo": {"engineInfo": "Apache-Spark/3.4.2 Delta-Lake/2.4.0", "timestamp": 1_795_576_132_634}},
        {"protocol": {"minReaderVersion": 1, "minWriterVersion": 4}},
        {
            "metaData": {
                "id": "t",
                "format": {"provider": "parquet", "options": {}},
                "schemaString": Schema.from_arrow(schema).to_json(),
                "partitionColumns": [partition_by],
                "configuration": {"XTABLE_METADATA": synced},
            }
        },
    ]
    for file in files:
        [value] = set(pq.read_table(file, columns=[partition_by])[partition_by].to_pylist())
        add = {"path": quote(str(file.relative_to(root))), "partitionValues": {partition_by: value}}
        actions.append({"add": add | {"size": file.stat().st_size, "modificationTime": 0, "dataChange": True}})
    log_file(root, 0).parent.mkdir()
    log_file(root, 0).write_text("".join(f"{json.dumps(action)}\n" for action in actions))
    return root

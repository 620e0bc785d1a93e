"""Delta tables by delta-rs and Polars on this disk, and changes of what their logs say."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import polars
import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable, Schema, write_deltalake

from tests.cli.tables import orders

Record = dict[str, Any]
Change = Callable[[Record, Record], None]
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


def change_add(root: Path, version: int, change: Change) -> None:
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

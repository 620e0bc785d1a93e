"""Writes a Paimon table by Paimon's Python library, and keeps it as it is after every step.

`python -m spark_jobs.battery.paimon_table FOLDER` takes the table from its standard input, pickled. It runs in a
process of its own, because the library is not installed where the suite is. The library compacts no table: for that
the process prints the table's folder, and goes on when it reads a line.
"""

from __future__ import annotations

import json
import os
import pickle
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from spark_jobs.battery.table import BatteryTable, File, Service, Write

FACTS = "paimon.json"
"""In the folder: what `write` returns."""
FILES = "files.json"
"""After the number of a stage: its data files, as the library lists them."""
TOP_LEVEL = 5
"""Of compacted files: one below Paimon's `num-levels`, by default."""
DATABASE = "db"
PRIMARY_KEY = "primary-key"
A_COMMITS_DISTANCE = 0.005
"""Seconds between commits, which XTable tells apart by their milliseconds."""


def write(table: BatteryTable, folder: Path, compact: Callable[[Path], None]) -> dict[str, Any]:
    """Writes each stage as `folder/<stage>/`, its rows as `<stage>.rows.parquet`, and the facts."""
    from pypaimon import CatalogFactory

    catalog = CatalogFactory.create({"warehouse": str(folder / "work")})
    catalog.create_database(DATABASE, True)
    name = f"{DATABASE}.{table.name}"
    stages: list[dict[str, Any]] = []
    root = folder / "work" / f"{DATABASE}.db" / table.name
    for step in table.steps:
        if step.action == Service("compact"):
            compact(root)
        else:
            assert isinstance(step.action, Write), f"{table.name}: {step.words} is no write"
            if step is table.steps[0]:
                _create(catalog, name, table, step.action.schema)
            _alter(catalog, name, step.action.schema)
            commit(catalog.get_table(name), step.action)
        time.sleep(A_COMMITS_DISTANCE)
        if step.staged:
            number = len(stages) + 1
            shutil.copytree(root, folder / str(number))
            stages.append({"words": table.stages[number - 1], **_shown(catalog.get_table(name), folder, number)})
    shutil.rmtree(folder / "work")
    facts = {"stages": stages, "versions": {"pypaimon": version("pypaimon"), "pyarrow": pa.__version__}}
    (folder / FACTS).write_text(json.dumps(facts), encoding="utf-8")
    return facts


def commit(table: Any, action: Write) -> None:
    """One commit of a data file each."""
    builder = table.new_batch_write_builder()
    if action.operation == "overwrite":
        builder = builder.overwrite()
    written = []
    for one in action.files:
        writer = builder.new_write()
        writer.write_arrow(arrow(one, action.schema, table.table_schema.primary_keys))
        written += writer.prepare_commit()
        writer.close()
    committer = builder.new_commit()
    committer.commit(written)
    committer.close()


def arrow(rows: File, schema: pa.Schema, keys: list[str]) -> pa.Table:
    typed = pa.schema([one.with_nullable(one.name not in keys) for one in schema])
    return pa.table({one.name: pa.array(rows.columns[one.name], one.type) for one in typed}, schema=typed)


def live(table: Any) -> list[str]:
    """Paths of the data files that hold rows as they are: all of them, or, of a table with a primary key, those that
    are compacted. What is not is merged by its readers.
    """
    key = bool(table.table_schema.primary_keys)
    return sorted(_below(one, table) for one in _planned(table) if not key or one.level == TOP_LEVEL)


def _planned(table: Any) -> Iterator[Any]:
    for split in table.new_read_builder().new_scan().plan().splits():
        yield from split.files


def _below(file: Any, table: Any) -> str:
    return str(file.file_path).partition(f"{table.table_path}/")[2]


def _create(catalog: Any, name: str, table: BatteryTable, schema: pa.Schema) -> None:
    from pypaimon import Schema

    options = dict(table.options)
    keys = [one for one in options.pop(PRIMARY_KEY, "").split(",") if one]
    typed = pa.schema([one.with_nullable(one.name not in keys) for one in schema])
    catalog.create_table(name, Schema.from_pyarrow_schema(typed, [*table.partition_by], keys, options), False)


def _alter(catalog: Any, name: str, schema: pa.Schema) -> None:
    """Adds the columns that the table lacks, and drops those that the schema of a write lacks."""
    from pypaimon.schema.data_types import PyarrowFieldParser
    from pypaimon.schema.schema_change import SchemaChange

    there = {one.name for one in catalog.get_table(name).fields}
    new = [one for one in schema if one.name not in there]
    changes = [SchemaChange.drop_column(one) for one in sorted(there - {*schema.names})]
    changes += [SchemaChange.add_column(one.name, PyarrowFieldParser.to_paimon_type(one.type, True)) for one in new]
    if changes:
        catalog.alter_table(name, changes)


def _shown(table: Any, folder: Path, number: int) -> dict[str, int]:
    """Keeps what the library shows of the table, and which files hold it; returns how many rows."""
    builder = table.new_read_builder()
    rows = builder.new_read().to_arrow(builder.new_scan().plan().splits())
    pq.write_table(rows, folder / f"{number}.rows.parquet")
    (folder / f"{number}.{FILES}").write_text(json.dumps(live(table)), encoding="utf-8")
    if not table.table_schema.primary_keys:
        return {"rows": rows.num_rows}
    compacted = sum(one.row_count for one in _planned(table) if one.level == TOP_LEVEL)
    return {"rows": compacted, "snapshot_rows": rows.num_rows}


def _asks(requests: IO[str]) -> Callable[[Path], None]:
    def ask(table: Path) -> None:
        print(table, file=requests, flush=True)
        if not sys.stdin.buffer.readline():
            raise EOFError(f"{table} was not compacted")

    return ask


if __name__ == "__main__":
    answered = _asks(os.fdopen(os.dup(1), "w"))
    os.dup2(2, 1)  # what the library prints is no request
    write(pickle.load(sys.stdin.buffer), Path(sys.argv[1]), answered)

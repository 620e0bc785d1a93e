"""Writes a Delta table by delta-rs, without Spark, and keeps it as it is after every step."""

from __future__ import annotations

import shutil
from importlib.metadata import version
from operator import attrgetter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from spark_jobs.battery.table import BatteryTable, Called, File, Write


def write(table: BatteryTable, folder: Path) -> dict[str, Any]:
    """Writes each stage as `folder/<stage>/` and its rows as `folder/<stage>.rows.parquet`; returns the facts."""
    from deltalake import DeltaTable  # late, as a collection writes nothing

    work = folder / "work"
    stages: list[dict[str, Any]] = []
    for step in table.steps:
        match step.action:
            case Write() as action:
                for number, one in enumerate(action.files):
                    commit(work, table, action, one, begins=number == 0)
            case Called(method, arguments):
                attrgetter(method)(DeltaTable(work))(**arguments)
            case _:
                raise AssertionError(f"{table.name}: {step.words} is no step of delta-rs")
        if step.staged:
            number = len(stages) + 1
            shutil.copytree(work, folder / str(number))
            # Arrow's own files: where they are Python's, a process may abort as it ends (apache/arrow#34314).
            place = fs.SubTreeFileSystem(str(work), fs.LocalFileSystem())
            rows = DeltaTable(work).to_pyarrow_table(filesystem=place)
            pq.write_table(rows, folder / f"{number}.rows.parquet")
            stages.append({"words": table.stages[number - 1], "rows": rows.num_rows})
    shutil.rmtree(work)
    return {"stages": stages, "versions": {"deltalake": version("deltalake"), "pyarrow": pa.__version__}}


def commit(place: Path, table: BatteryTable, action: Write, rows: File, *, begins: bool) -> None:
    """One commit of a data file for each partition."""
    from deltalake import write_deltalake

    overwrites = action.operation == "overwrite" and begins
    there = place.exists()
    write_deltalake(
        place,
        pa.table({one.name: pa.array(rows.columns[one.name], one.type) for one in action.schema}, schema=action.schema),
        mode="overwrite" if overwrites else "append",
        partition_by=[*table.partition_by] or None,
        schema_mode=("overwrite" if overwrites else "merge") if there else None,
        configuration=dict(table.options) if not there else None,
    )

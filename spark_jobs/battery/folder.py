"""Writes a table that is a folder of Parquet files, without Spark, and keeps it as it is after every step."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from spark_jobs.battery.table import BatteryTable, File, Placed

NOON = 1_704_110_400
"""2024-01-01T12:00:00Z, in seconds."""


def write(table: BatteryTable, folder: Path) -> dict[str, Any]:
    """Writes each stage as `folder/<stage>/` and its rows as `folder/<stage>.rows.parquet`; returns the facts."""
    work = folder / "work"
    work.mkdir()
    stages: list[dict[str, Any]] = []
    for step in table.steps:
        assert isinstance(step.action, Placed), f"{table.name}: {step.words} is no step of a folder"
        place(step.action, work)
        if step.staged:
            number = len(stages) + 1
            shutil.copytree(work, folder / str(number))  # with times of modification
            rows = shown(work, table)
            pq.write_table(rows, folder / f"{number}.rows.parquet")
            stages.append({"words": table.stages[number - 1], "rows": rows.num_rows})
    shutil.rmtree(work)
    return {"stages": stages, "versions": {"pyarrow": pa.__version__}}


def place(action: Placed, folder: Path) -> None:
    for path, rows in action.by_path.items():
        file = folder / path
        if rows is None:
            file.unlink()
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(arrow(rows, action.schema), file, **{"compression": "none", **action.options})
        os.utime(file, (NOON + 60 * action.minute,) * 2)


def arrow(rows: File, schema: pa.Schema) -> pa.Table:
    return pa.table({one.name: pa.array(rows.columns[one.name], one.type) for one in schema}, schema=schema)


def live(folder: Path) -> Iterator[str]:
    """Paths of the data files, as Arrow finds them: names that begin with a dot or an underscore are hidden."""
    from pyarrow import dataset  # late: it brings pandas, and a collection writes nothing

    for file in dataset.dataset(folder, format="parquet").files:
        yield Path(file).relative_to(folder).as_posix()


def shown(folder: Path, table: BatteryTable) -> pa.Table:
    """The rows as Arrow shows them, with the columns of paths where XTable's configuration derives none of them."""
    from pyarrow import dataset

    partitioning: Mapping[str, Any] = {} if table.partition_spec else {"partitioning": "hive"}
    return dataset.dataset(folder, format="parquet", **partitioning).to_table()

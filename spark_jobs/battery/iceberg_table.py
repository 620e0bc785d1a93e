"""Writes an Iceberg table by PyIceberg, without Spark, and keeps it as it is after every step.

Iceberg's metadata names files by their addresses, so the table is written as if it were at its address in the store,
and its files are below a folder of this disk. PyIceberg names each metadata file `00001-….metadata.json`, which a
catalog points to. Without a catalog a table is found as Hadoop's: `metadata/v1.metadata.json`, and `version-hint.text`,
which has its number. So the newest metadata of each stage is there under such a name, too, byte by byte the same.

`python -m spark_jobs.battery.iceberg_table FOLDER ADDRESS [JAVA JAR…]` takes the table from its standard input,
pickled, and prints the facts: for a table that needs a library which the suite does without, or Iceberg in Spark
(`iceberg_in_spark.py`), which alone writes delete files. After its first step there a table has no step of PyIceberg's.
"""

from __future__ import annotations

import json
import os
import pickle
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, nullcontext
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.parquet as pq

from spark_jobs.battery.folder import arrow
from spark_jobs.battery.iceberg_in_spark import Iceberg, in_spark, is_icebergs
from spark_jobs.battery.table import BatteryTable, Called, Statement, Write

FILES = "files.json"
"""After the number of a stage: its data files, as a scan of the whole table is planned."""
HINT = "version-hint.text"
NAMESPACE = "lake"
FILTER = "overwrite_filter"
"""Among the options of an overwrite: the rows whose place it takes, by default all."""
AT_FIRST = "partitioned-at-first"
"""Among a table's options: the columns by which it is partitioned first, where that changes; none is a property."""
A_COMMITS_DISTANCE = 0.005
"""Seconds between commits, which XTable tells apart by their milliseconds."""


def write(table: BatteryTable, folder: Path, address: str, iceberg: Iceberg | None = None) -> dict[str, Any]:
    """Writes each stage as `folder/<stage>/`, its rows as `<stage>.rows.parquet` and its files as `<stage>.files.json`.

    Returns the facts. `iceberg` is for what PyIceberg does not do.
    """
    from pyiceberg.catalog.sql import SqlCatalog  # late, as a collection writes nothing

    work = folder / "work"
    parts = urlsplit(address)
    root = work / parts.netloc / parts.path.lstrip("/")
    stages: list[dict[str, Any]] = []
    io = {"py-io-impl": "lab.store.disk_io.DiskIO", "folder": str(work)}
    with closing(SqlCatalog(NAMESPACE, uri="sqlite:///:memory:", warehouse=address, **io)) as catalog:
        catalog.create_namespace(NAMESPACE)
        written: Any = None
        for step in table.steps:
            match step.action:
                case Write() as action:
                    written = written or _created(catalog, table, action.schema, address)
                    _write(written, action)
                case Statement() | Called() as action if iceberg is not None and is_icebergs(action):
                    if not (root / "metadata" / HINT).exists():
                        _name_as_hadoop(root, written, 1)
                    iceberg.run(root, address, action)
                    written = _as_hadoop(root, address, io)
                case Called(method, arguments):
                    call(written, method, arguments)
                    time.sleep(A_COMMITS_DISTANCE)
                case _:
                    raise AssertionError(f"{table.name}: {step.words} is no step of PyIceberg")
            if step.staged:
                number = len(stages) + 1
                if not is_icebergs(step.action):
                    _name_as_hadoop(root, written, number)
                shutil.copytree(root, folder / str(number))
                by = iceberg if _has_deletes_by_value(written) else None
                rows, live = _by_pyiceberg(written) if by is None else _by_iceberg(by, written, root, address)
                facts = _keep(rows, live, f"{written.location()}/", folder, number)
                stages.append({"words": table.stages[number - 1], **facts})
    shutil.rmtree(work)
    return {"stages": stages, "versions": {"pyiceberg": version("pyiceberg"), "pyarrow": pa.__version__}}


def fields_at_first(table: BatteryTable) -> tuple[list[tuple[str, str, str]], dict[str, str]]:
    """Column, transform and name of each field that the table is partitioned by first, and its properties."""
    properties = dict(table.options)
    first = properties.pop(AT_FIRST, ",".join(table.partition_by))
    fields = [(column, "identity", column) for column in first.split(",") if column]
    return [*fields, *_transformed(table)], properties


def _created(catalog: Any, table: BatteryTable, schema: pa.Schema, address: str) -> Any:
    fields, properties = fields_at_first(table)
    created = catalog.create_table(f"{NAMESPACE}.{table.name}", schema=schema, location=address, properties=properties)
    if fields:
        with created.update_spec() as spec:
            for column, transform, name in fields:
                spec.add_field(column, transform, name)
    return created


def _transformed(table: BatteryTable) -> list[tuple[str, str, str]]:
    """Column, transform and name of each partition field of `partition_spec`: `at:day` is `at_day`."""
    pairs = [field.split(":", 1) for field in table.partition_spec.split(",") if field]
    return [(column, transform, f"{column}_{transform.partition('[')[0]}") for column, transform in pairs]


def _write(table: Any, action: Write) -> None:
    """A commit for each of the files, of a data file for each partition."""
    for number, one in enumerate(action.files):
        rows = arrow(one, action.schema)
        if action.operation == "overwrite" and number == 0:
            only = {FILTER: action.options[FILTER]} if FILTER in action.options else {}
            table.overwrite(rows, **only)
        else:
            table.append(rows)
        time.sleep(A_COMMITS_DISTANCE)


def call(table: Any, method: str, arguments: Mapping[str, Any]) -> None:
    """`delete`, or a method of an update of the table, in a commit of its own: `update_schema.add_column`.

    A `snapshot_id` is given as so many commits before the current one.
    """
    read: Mapping[str, Callable[[Any], Any]] = {"field_type": _type, "snapshot_id": lambda back: _before(table, back)}
    given = {name: read[name](value) if name in read else value for name, value in arguments.items()}
    on, _, method = method.rpartition(".")
    if not on:
        getattr(table, method)(**given)
        return
    with getattr(table, on)() as update:
        getattr(update, method)(**given)


def _type(name: str) -> Any:
    from pyiceberg.types import NestedField

    return NestedField(field_id=1, name="of", field_type=name).field_type


def _as_hadoop(root: Path, address: str, io: Mapping[str, str]) -> Any:
    from pyiceberg.table import StaticTable

    newest = (root / "metadata" / HINT).read_text(encoding="ascii").strip()
    return StaticTable.from_metadata(f"{address}/metadata/v{newest}.metadata.json", dict(io))


def _before(table: Any, back: int) -> int:
    snapshot = table.current_snapshot()
    for _ in range(back):
        snapshot = table.snapshot_by_id(snapshot.parent_snapshot_id)
    return int(snapshot.snapshot_id)


def _name_as_hadoop(root: Path, table: Any, number: int) -> None:
    metadata = root / "metadata"
    newest = table.metadata_location.rpartition("/")[2]
    shutil.copyfile(metadata / newest, metadata / f"v{number}.metadata.json")
    (metadata / HINT).write_text(str(number), encoding="ascii")


def _has_deletes_by_value(table: Any) -> bool:
    """PyIceberg raises an error for such a table."""
    snapshot = table.current_snapshot()
    return snapshot is not None and int(snapshot.summary.get("total-equality-deletes") or 0) > 0


def _by_pyiceberg(table: Any) -> tuple[pa.Table, list[str]]:
    """The rows that it shows of the table, and which files hold them."""
    scan = table.scan()
    return scan.to_arrow(), [task.file.file_path for task in scan.plan_files()]


def _by_iceberg(iceberg: Iceberg, table: Any, root: Path, address: str) -> tuple[pa.Table, list[str]]:
    """The same by Iceberg in Spark."""
    rows = pa.Table.from_pylist(iceberg.rows(root, address), schema=table.schema().as_arrow())
    return rows, iceberg.files(root, address)


def _keep(rows: pa.Table, live: Sequence[str], prefix: str, folder: Path, number: int) -> dict[str, int]:
    """Keeps rows and paths of files; returns how many rows."""
    pq.write_table(rows, folder / f"{number}.rows.parquet")
    paths = sorted(path.removeprefix(prefix) for path in live)
    (folder / f"{number}.{FILES}").write_text(json.dumps(paths), encoding="utf-8")
    return {"rows": rows.num_rows}


if __name__ == "__main__":
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    where, at, *spark = sys.argv[1:]
    table = pickle.load(sys.stdin.buffer)
    with in_spark(Path(spark[0]), [*map(Path, spark[1:])]) if spark else nullcontext() as by:
        facts = write(table, Path(where), at, by)
    print(json.dumps(facts), file=answer)

"""One healthy table in two formats, what readers are asked of it, and the true answers."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import deltalake
import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.manifest import DATA_FILE_TYPE, DEFAULT_READ_VERSION
from pyiceberg.table import Table
from pyiceberg.transforms import IdentityTransform

from lab.store import objects
from lab.store.address import Workspace
from xtable_audit.model.aggregate import Aggregate, joined, of_day, where
from xtable_audit.model.predicate import Compare
from xtable_audit.model.subject_id import DELTA, ICEBERG
from xtable_audit.planning.aggregates import of_month
from xtable_audit.values.matching_rows import holds

# One healthy table in two formats: sixteen files of random values, large enough that a footer is not the file.

PARTS = tuple("abcdefghijklmnop")
ROWS = 25_000
"""Of each part, which is one file."""
OVERCOUNTED = 8
SINCE = datetime(2023, 1, 1, tzinfo=UTC).replace(tzinfo=None)
_SECONDS = 10**7
"""Of the moments in one file: of each part they begin later."""
NAMES = ("healthy", "overcounted")
_SCHEMA = pa.schema(
    {
        "part": pa.string(),
        "id": pa.int64(),
        "amount": pa.float64(),
        "at": pa.timestamp("us"),
        "day": pa.date32(),
        "name": pa.string(),
        "code": pa.string(),
    }
)


@dataclass(frozen=True)
class HealthyTable:
    """Where a reader finds it, its data files (key -> size in bytes), and its rows."""

    location: str
    overcounted: str
    """Another table of these rows, whose metadata counts OVERCOUNTED times as many rows of each file."""
    sizes: Mapping[str, int]
    rows: pa.Table


def rows_of() -> pa.Table:
    """`id` counts through the files, which so have ranges of their own; every seventh `amount` is null."""
    drawn = random.Random(34)
    number = range(ROWS * len(PARTS))
    moments = [SINCE + timedelta(seconds=id // ROWS * _SECONDS + drawn.randrange(_SECONDS)) for id in number]
    columns = {
        "part": [PARTS[id // ROWS] for id in number],
        "id": number,
        "amount": [None if id % 7 == 0 else drawn.uniform(-1000, 1000) for id in number],
        "at": moments,
        "day": [moment.date() for moment in moments],
        "name": [f"{drawn.getrandbits(128):032x}" for _ in number],
        "code": [code(id) for id in number],
    }
    return pa.table([pa.array(columns[field.name], field.type) for field in _SCHEMA], _SCHEMA)


def code(id: int) -> str:
    """Text in the order of the ids."""
    return f"c{id:07}"


def written(format: str, store: Workspace, folder: Path) -> HealthyTable:
    """The table in that format (ICEBERG or DELTA) on the store; `folder` is for a catalog."""
    rows, root = rows_of(), store.uri(f"shortcuts/{format}")
    location, overcounted = {ICEBERG: _iceberg, DELTA: _delta}[format](rows, root, store, folder)
    sizes = objects.list_objects(store, f"shortcuts/{format}/{NAMES[0]}")
    data = {key: size for key, size in sizes.items() if key.endswith(".parquet")}
    return HealthyTable(location, overcounted, data, rows)


def _iceberg(rows: pa.Table, root: str, store: Workspace, folder: Path) -> tuple[str, str]:
    settings = {"uri": f"sqlite:///{folder}/catalog.db", "warehouse": root, **store.pyiceberg()}
    with SqlCatalog("shortcuts", **settings) as catalog:
        catalog.create_namespace("t")
        tables = [catalog.create_table(f"t.{name}", rows.schema, location=f"{root}/{name}") for name in NAMES]
        for table in tables:
            with table.update_spec() as spec:
                spec.add_field("part", IdentityTransform(), "part")
        healthy, overcounted = tables
        healthy.append(rows)
        append_changed(overcounted, healthy, {"record_count": lambda rows: rows * OVERCOUNTED})
        return healthy.metadata_location, overcounted.metadata_location


def append_changed(table: Table, healthy: Table, fields: Mapping[str, Callable[[Any], Any]]) -> None:
    """Appends the files of `healthy`, with other metadata: what is made of these fields of a data file."""
    names = [field.name for field in DATA_FILE_TYPE[DEFAULT_READ_VERSION].fields]
    with table.transaction() as changes, changes.update_snapshot().fast_append() as appended:
        for task in healthy.scan().plan_files():
            for name, changed in fields.items():
                task.file[names.index(name)] = changed(task.file[names.index(name)])
            appended.append_data_file(task.file)


def _delta(rows: pa.Table, root: str, store: Workspace, folder: Path) -> tuple[str, str]:
    for name in NAMES:
        deltalake.write_deltalake(f"{root}/{name}", rows, partition_by=["part"], storage_options=store.object_store())
    healthy, overcounted = (f"{root}/{name}/_delta_log/{0:020}.json" for name in NAMES)
    log = objects.read(store, store.key(overcounted)).decode()
    objects.write(store, store.key(overcounted), re.sub(r"(numRecords\W+)(\d+)", _times, log).encode())
    return healthy, overcounted


def _times(count: re.Match[str]) -> str:
    return f"{count[1]}{int(count[2]) * OVERCOUNTED}"


# What is asked of a healthy table: what its metadata answers, or chooses files for; and the true answers.

_OF_TWO_FILES = 2 * ROWS


def _both(column: str) -> tuple[Aggregate, ...]:
    return Aggregate("min", column), Aggregate("max", column)


QUESTIONS: Mapping[str, tuple[Aggregate, ...]] = {
    "`count(*)`": (Aggregate("count"),),
    "`count(*)` of one partition": (Aggregate("count", None, Compare("part", "=", PARTS[1])),),
    "`count(*)` of two whole files, by their bounds": (Aggregate("count", None, Compare("id", "<", _OF_TWO_FILES)),),
    "`count(c)`": (Aggregate("count", "amount"),),
    "`min`, `max` of a long": _both("id"),
    "`min`, `max` of a double": _both("amount"),
    "`min`, `max` of a timestamp": _both("at"),
    "`min`, `max` of a date": _both("day"),
    "`min`, `max` of a string": _both("name"),
}
"""By the head of the page's column."""
CHOOSING: Mapping[str, tuple[Aggregate, ...]] = {
    "a join with two keys": (joined("id", (7, 9 * ROWS)),),
    "`date(ts) = …`": (of_day("at", SINCE),),
    "`month(ts) = …`": (of_month("at", SINCE, range(SINCE.year, SINCE.year + 6), 3),),
    "`lower(s) = …`": (where("lower", code(7), Compare("code", "=", code(7))),),
    "`abs(i) = …`": (where("abs", 7, Compare("id", "=", 7)),),
    "`CAST(i AS VARCHAR) = …`": (where("text", "7", Compare("id", "=", 7)),),
    "`ORDER BY c LIMIT 1`": (Aggregate("min", "id", form="top"), Aggregate("max", "id", form="top")),
}
"""The same, of questions whose rows are in few of the files."""


def truth(rows: pa.Table, asked: Aggregate) -> Any:
    """The answer by the values."""
    if asked.predicate is not None:
        rows = rows.filter(holds(asked.predicate, {name: rows[name] for name in rows.column_names}))
    if asked.column is None:
        return rows.num_rows
    column = rows[asked.column]
    return pc.count(column).as_py() if asked.function == "count" else pc.min_max(column)[asked.function].as_py()

"""Healthy tables by PyIceberg's catalog: a history, and one with a partition field of every transform.

The history: three files that came one by one, the last with a column more, and a sync that failed between them. In the
other table values differ within each partition."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.conversions import to_bytes
from pyiceberg.table import Table as IcebergTable
from pyiceberg.transforms import BucketTransform, IdentityTransform, Transform, parse_transform
from pyiceberg.types import IntegerType, StringType

from tests.tables.draft import Draft, Record
from tests.tables.healthy import Stage, Table
from tests.tables.mirror import Mirror
from tests.tables.typed import PARTITION, ROWS, write_typed_files

STATE = "XTABLE_METADATA"
FIRST, SECOND, FAILED, THIRD, IDLE, FULL = range(6)
"""The places of the syncs."""
LATER = "later"
FILES = 3
BUCKET: BucketTransform[Any] = BucketTransform(4)
SPREAD = {
    "hour": ("at", "hour"),
    "day": ("moment", "day"),
    "month": ("born", "month"),
    "year": ("since", "year"),
    "head": ("word", "truncate[3]"),
    "tens": ("ten", "truncate[10]"),
    "bucket": ("number", "bucket[4]"),
    "place.city": ("place.city", "identity"),
    "nothing": ("ten", "void"),
}
"""Partition field: source column and transform."""
CONFIGURED = ",".join(f"{column}:{transform}" for column, transform in SPREAD.values())
TYPES = {
    "at": pa.timestamp("us", tz="UTC"),
    "moment": pa.timestamp("us"),
    "born": pa.date32(),
    "since": pa.timestamp("us", tz="UTC"),
    "word": pa.string(),
    "ten": pa.int64(),
    "number": pa.int32(),
    "place": pa.struct([pa.field("city", pa.string()), pa.field("zip", pa.int32())]),
    "tags": pa.list_(pa.string()),
    "sizes": pa.map_(pa.string(), pa.int64()),
    "stops": pa.list_(pa.struct([pa.field("x", pa.int32())])),
    "spot": pa.struct([pa.field("x", pa.int32())]),
}
KEPT = ("id", "mirror", "root", "metadata_location", "partition_by", "separates", "spec")


def history(mirror: Mirror) -> Table:
    """By PyIceberg's `add_files`, a commit a file."""
    id = "history"
    root = mirror.uri(id)
    files = write_typed_files(mirror, id)
    _with_a_column_more(mirror, files[-1])
    mirror.file(f"{root}/metadata").mkdir(parents=True, exist_ok=True)
    catalog = SqlCatalog("tests", uri="sqlite:///:memory:", warehouse=root, **mirror.pyiceberg)
    catalog.create_namespace("tests")
    table = catalog.create_table(f"tests.{id}", schema=pq.read_schema(mirror.file(files[0])), location=root)
    with table.update_spec() as spec:
        spec.add_field(PARTITION, IdentityTransform(), PARTITION)
    first = _synced(table, files[:1], "2024-01-01T00:00:00Z")
    second = _synced(table, files[1:2], "2024-01-01T00:00:00.500Z")
    with table.update_schema() as schema:
        schema.add_column(LATER, IntegerType())
    third = _synced(table, files[2:], "2024-01-02T00:00:00Z")
    full = _synced(table, [], "2024-01-02T00:00:00Z")
    catalog.close()
    stages = (
        Stage("bulk_insert", "first", first, tuple(files[:1]), ROWS),
        Stage("upsert", "incremental", second, tuple(files[:2]), 2 * ROWS),
        Stage("a commit that XTable cannot read", "incremental", second, tuple(files), 3 * ROWS, "it cannot be read"),
        Stage("nothing", "incremental", third, tuple(files), 3 * ROWS),
        Stage("nothing", "idle", third, tuple(files), 3 * ROWS),
        Stage("nothing", "full", full, tuple(files), 3 * ROWS),
    )
    return replace(Table(id, mirror, root, third, (PARTITION,), ("int", PARTITION)), stages=stages)


def _with_a_column_more(mirror: Mirror, uri: str) -> None:
    rows = pq.read_table(mirror.file(uri))
    pq.write_table(rows.append_column(LATER, rows["int"]), mirror.file(uri))


def _synced(table: IcebergTable, files: Sequence[str], instant: str) -> str:
    """The address of metadata with these files and this instant."""
    if files:
        table.add_files(list(files))
    with table.transaction() as transaction:
        transaction.set_properties({STATE: json.dumps({"lastInstantSynced": instant})})
    return table.metadata_location


def rows(file: int) -> dict[str, list[Any]]:
    """Three rows, from before 1970 on, that are of one partition although they differ."""
    start = dt.datetime(1969, 12, 31, 23, tzinfo=dt.UTC)
    hour = start + dt.timedelta(hours=file)
    day = dt.datetime(1969, 12, 31) + dt.timedelta(days=file)
    month, year = dt.date(1969, 12 - file, 1), dt.datetime(1969 + file, 1, 1, tzinfo=dt.UTC)
    last = dt.datetime(1969 + file, 12, 31, 23, 59, 59, 999999, tzinfo=dt.UTC)
    numbers = [n for n in range(100) if BUCKET.transform(IntegerType())(n) == file]
    return {
        "at": [hour, hour + dt.timedelta(minutes=30), hour + dt.timedelta(minutes=59, microseconds=59_999_999)],
        "moment": [day, day + dt.timedelta(hours=12), day + dt.timedelta(hours=24, microseconds=-1)],
        "born": [month, month.replace(day=15), month.replace(day=30)],
        "since": [year, year + dt.timedelta(days=100), last],
        "word": [f"é{file}🙂{n}" for n in range(3)],
        "ten": [file * 10 - 10 + n * 4 for n in range(3)],
        "number": [numbers[0], numbers[-1], numbers[1]],
        "place": [{"city": f"city {file}", "zip": n} for n in range(3)],
        "tags": [["a", None if file == 1 else "b"], [], None],
        "sizes": [[("s", None if file == 1 else 1)], [], None],
        "stops": [[{"x": None if file == 1 else 1}], [], None],
        "spot": [{"x": None if file == 1 else 1}, {"x": 2}, {"x": 3}],
    }


def spread(mirror: Mirror) -> Table:
    """Through PyIceberg's `add_files`. The tuples that it cannot derive are put in by hand."""
    id = "spread"
    root = mirror.uri(id)
    files = [_write(mirror, f"{root}/data/{file}.parquet", rows(file)) for file in range(FILES)]
    mirror.file(f"{root}/metadata").mkdir(parents=True)
    catalog = SqlCatalog("tests", uri="sqlite:///:memory:", warehouse=root, **mirror.pyiceberg)
    catalog.create_namespace("tests")
    table = catalog.create_table(f"tests.{id}", schema=pq.read_schema(mirror.file(files[0])), location=root)
    with table.update_spec() as spec:
        for name, (column, transform) in SPREAD.items():
            spec.add_field(column, _substitute(transform), name)
    table.add_files(files)
    catalog.close()
    made = Table(id, mirror, root, table.metadata_location, (), (), spec=CONFIGURED)
    return _by_hand(made)


def _write(mirror: Mirror, uri: str, columns: dict[str, list[Any]]) -> str:
    file: Path = mirror.file(uri)
    file.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns, schema=pa.schema(list(TYPES.items()))), file)
    return uri


def _substitute(transform: str) -> Transform[Any, Any]:
    """The transform given to PyIceberg: one it can derive, of the same type, in place of one it cannot."""
    return parse_transform("truncate[1000]" if transform in ("bucket[4]", "void") else transform)


def _with_tuples(file: Record, tuples: Record) -> None:
    file["partition"].update(tuples)


def _by_hand(table: Table) -> Table:
    draft = Draft(table, table.mirror)
    places = {path: place for place, path in enumerate(table.case.stored.paths)}
    for place in places.values():
        number = int(draft.path(place).rpartition("/")[2].removesuffix(".parquet"))
        tuples = {"bucket": number, "place_x2Ecity": f"city {number}", "nothing": None}
        draft.change_file(place, partial(_with_tuples, tuples=tuples))
        for column in ("place.city", "place.zip", "spot.x"):
            actual = table.case.actual.columns[column]
            draft.put(place, "lower_bounds", column, actual["min"][place].as_py())
            draft.put(place, "upper_bounds", column, actual["max"][place].as_py())
    ranges: dict[str, list[bytes | None]] = {
        "bucket": [to_bytes(IntegerType(), n) for n in (0, FILES - 1)],
        "place.city": [to_bytes(StringType(), f"city {n}") for n in (0, FILES - 1)],
        "nothing": [None, None],
    }

    def summarise(manifests: list[Record]) -> None:
        for name, (low, high) in ranges.items():
            place = list(SPREAD).index(name)
            manifests[0]["partitions"][place].update(contains_null=low is None, lower_bound=low, upper_bound=high)

    def bucketed(metadata: Record) -> None:
        for field in metadata["partition-specs"][-1]["fields"]:
            field["transform"] = SPREAD[field["name"]][1]

    draft.change_manifests(summarise)
    draft.change_metadata(bucketed)
    draft.headers_follow()
    return Table(**{name: getattr(table, name) for name in KEPT})

"""What every embedded reader answers: rows as they are, by the files that it opens, and times of any zone."""

from __future__ import annotations

import datetime as dt
import operator
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from lab.engines.readers import find
from tests.of_each import of_each
from tests.window import window
from xtable_audit.model.predicate import And, Compare, In, IsNull, Or, Predicate, StartsWith
from xtable_audit.readers.duckdb_reader import EXTENSIONS, extension_file
from xtable_audit.readers.observe import observe
from xtable_audit.readers.reader import Observation, Reader

VALUES: dict[str, Any] = {
    "id": 121,
    "vendor": 1,
    "trips": 1_210_000_000_000,
    "distance": 30.25,
    "rating": 1.5,
    "zone": "zone_4",
    "month": "2023-03",
    "fare": Decimal("8.47"),
    "total": Decimal("15.1250000000"),
    "tip": Decimal(121 * 10**15),
    "day": dt.date(2023, 3, 10),
    "picked_up": dt.datetime(2023, 3, 10, 1, 30, 15, 121),
    "recorded": dt.datetime(2023, 3, 10, 1, 30, 15, 121, tzinfo=dt.UTC),
}
GRID: list[Predicate] = [
    *(Compare(column, "=", value) for column, value in VALUES.items()),
    *(Compare(column, ">", VALUES[column]) for column in ("zone", "fare", "day", "picked_up", "recorded")),
    *(Compare("distance", sign, 30.25) for sign in ("!=", "<", "<=", ">", ">=")),
    In("zone", ("zone_1", "zone_2", "nowhere")),
    In("trips", (10_000_000_000, 20_000_000_000), negated=True),
    In("fare", (Decimal("0.07"), Decimal("0.14"))),
    In("day", (dt.date(2023, 1, 1), dt.date(2023, 2, 2)), negated=True),
    IsNull("zone"),
    IsNull("trips", negated=True),
    IsNull("dropped_off"),
    IsNull("month"),
    StartsWith("zone", "zone_"),
    StartsWith("zone", "zone%"),
    StartsWith("month", "2023-0"),
    StartsWith("zone_to", "it's 100% é"),
    Compare("zone_to", "=", "it's 100% é😀\\"),
    Compare("shared", "!=", True),
    Compare("raw", "=", bytes([121, 134])),
    And(Compare("month", "=", "2023-02"), Compare("distance", ">", 20.0)),
    Or(Compare("month", "=", "2023-02"), Compare("id", "<", 5)),
    Or(And(Compare("id", ">=", 40), Compare("id", "<", 60)), IsNull("zone")),
    And(IsNull("zone", negated=True), Or(Compare("fare", "<", Decimal("1.00")), Compare("vendor", "=", 2))),
]
SHAPES = [*{(type(p), getattr(p, "operator", None), getattr(p, "negated", None)): p for p in GRID}.values()]
"""One predicate of each kind: where all become the same SQL as another reader's, which is asked the whole grid."""
SIGNS = {"=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
MARCH = Compare("month", "=", "2023-03")
NO_FIELD_IDS = "carries no parquet field IDs"
NOON = dt.datetime(2024, 1, 1, 12)
STORED = {"none": pa.timestamp("us"), "UTC": pa.timestamp("us", "UTC")}


def holds(predicate: Predicate, row: Mapping[str, Any]) -> bool | None:
    """SQL's three-valued logic over one row."""
    match predicate:
        case And(left, right):
            sides = (holds(left, row), holds(right, row))
            return False if False in sides else (None if None in sides else True)
        case Or(left, right):
            sides = (holds(left, row), holds(right, row))
            return True if True in sides else (None if None in sides else False)
        case IsNull(column, negated):
            return (row[column] is None) != negated
        case Compare(column, sign, value):
            return None if row[column] is None else bool(SIGNS[sign](row[column], value))
        case In(column, values, negated):
            return None if row[column] is None else (row[column] in values) != negated
        case StartsWith(column, prefix):
            return None if row[column] is None else row[column].startswith(prefix)
    raise TypeError(predicate)


def watch(reader: Reader, tables: Any, table: str, predicate: Predicate | None) -> Observation:
    layout = getattr(tables, table)
    log = tables.store.guest(f"reader-{reader.name}").log
    [observation] = observe(reader, log, layout.metadata, [predicate], layout.data)
    return observation


def written(folder: Path, declared: pa.DataType, stored: pa.DataType) -> str:
    """The metadata of a table of one row, whose column is of `declared` type there and of `stored` type in its file."""
    rows = pa.table({"moment": pa.array([NOON], declared)})
    catalog = SqlCatalog("zones", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}")
    catalog.create_namespace("n")
    table = catalog.create_table("n.t", rows.schema)
    table.append(rows)
    [task] = table.scan().plan_files()
    catalog.close()
    file = Path(task.file.file_path.removeprefix("file://"))
    field = pq.read_schema(file).field(0)
    values = pa.array([NOON], stored)
    pq.write_table(pa.table([values], schema=pa.schema([field.with_type(stored)])), file)
    return table.metadata_location


def found_by_duckdb(metadata: str, zone: str, literal: str) -> int:
    with duckdb.connect(":memory:") as session:
        for extension in EXTENSIONS:
            session.load_extension(str(extension_file(extension)))
        session.execute(f"SET TimeZone = '{zone}'")
        found = session.execute(f"SELECT count(*) FROM iceberg_scan('{metadata}') WHERE moment = {literal}").fetchone()
    assert found is not None
    return int(found[0])


# Every reader counts what the rows themselves say, for every kind of predicate.


@of_each("predicate", GRID, ids=str)
def test_a_reader_counts_the_rows_that_match(reader: Reader, tables: Any, predicate: Predicate) -> None:
    actual = sum(holds(predicate, row) is True for row in tables.rows)
    assert reader.query(tables.native.metadata, predicate).rows == actual


def test_without_a_predicate_a_reader_counts_all_rows(reader: Reader, tables: Any) -> None:
    assert reader.query(tables.scattered.metadata, None).rows == len(tables.rows)


def test_a_reader_says_its_version(reader: Reader) -> None:
    assert reader.version[0].isdigit()


# The request log shows, for every reader in the same way, which data files it read.


def test_a_month_opens_one_file_of_a_table_partitioned_by_month(reader: Reader, tables: Any) -> None:
    seen = watch(reader, tables, "native", MARCH)
    assert (seen.error, len(seen.read or ())) == (None, 1)


def test_a_month_opens_every_file_where_each_holds_every_month(reader: Reader, tables: Any) -> None:
    assert watch(reader, tables, "scattered", MARCH).read == frozenset(tables.scattered.data)


def test_files_registered_without_field_ids_are_read_through_the_name_mapping(reader: Reader, tables: Any) -> None:
    seen = watch(reader, tables, "added", MARCH)
    if find(reader.name).capabilities.needs_field_ids:
        assert NO_FIELD_IDS in (seen.error or "")
    else:
        assert (seen.rows, len(seen.read or ())) == (50, 1)


def test_without_a_predicate_every_file_is_opened(reader: Reader, tables: Any) -> None:
    assert watch(reader, tables, "native", None).read == frozenset(tables.native.data)


def test_a_question_put_twice_opens_the_same_files_twice(reader: Reader, tables: Any) -> None:
    first, second = (watch(reader, tables, "scattered", MARCH) for _ in range(2))
    assert first.read == second.read == frozenset(tables.scattered.data)


def test_each_predicate_of_a_batch_has_the_files_that_it_opened(reader: Reader, tables: Any) -> None:
    months = [Compare("month", "=", f"2023-0{number}") for number in (3, 1, 9, 2)]
    log = tables.store.guest(f"reader-{reader.name}").log
    seen = observe(reader, log, tables.native.metadata, months, tables.native.data)
    read = [{key.partition("month=")[2][:7] for key in one.read or ()} for one in seen]
    assert read == [{"2023-03"}, {"2023-01"}, set(), {"2023-02"}]


def test_metadata_is_read_anew_for_every_question(reader: Reader, tables: Any) -> None:
    log = tables.store.guest(f"reader-{reader.name}").log
    reader.query(tables.native.metadata, MARCH)
    with window(log) as seen:
        reader.query(tables.native.metadata, MARCH)
    fetched = {request.key.rpartition(".")[2] for request in seen if request.method == "GET"}
    assert {"json", "avro"} <= fetched


@pytest.mark.parametrize(
    ("predicate", "month"),
    [
        (Compare("id", "=", 60), "2023-02"),
        (Compare("zone_to", "=", "Z61"), "2023-02"),
        (And(MARCH, Compare("distance", "<", 28.0)), "2023-03"),
    ],
    ids=["id", "zone_to", "month and distance"],
)
def test_the_file_that_holds_the_rows_is_opened(reader: Reader, tables: Any, predicate: Predicate, month: str) -> None:
    matching = {key for key in tables.native.data if f"month={month}" in key}
    assert len(matching) == 1
    assert matching <= (watch(reader, tables, "native", predicate).read or set())


def test_only_pyiceberg_says_what_it_plans(reader: Reader, tables: Any) -> None:
    seen = watch(reader, tables, "native", MARCH)
    assert seen.answer is not None
    planned = seen.answer.planned and {tables.store.store.key(uri) for uri in seen.answer.planned}
    assert planned == (seen.read if reader.name == "pyiceberg" else None)


def test_without_a_request_log_opened_files_are_unknown_and_the_answer_remains(reader: Reader, tables: Any) -> None:
    [seen] = observe(reader, None, tables.native.metadata, [MARCH], tables.native.data)
    assert (seen.rows, seen.read) == (50, None)


def test_an_observation_carries_the_readers_name_version_and_time(reader: Reader, tables: Any) -> None:
    seen = watch(reader, tables, "native", MARCH)
    assert seen == replace(seen, reader=reader.name, version=reader.version)
    assert 0 < seen.seconds < 60


# Times whose files have a zone where the metadata says that they have none, or the other way round.
#
# PyIceberg, Polars, Daft and ClickHouse read them as UTC. DuckDB reads them in the zone of its session: outside UTC it
# loses the row that a user asks for, so that `misread` calls them UNSOUND.


@pytest.mark.parametrize(
    ("declared", "stored", "literal"),
    [
        ("none", "UTC", "TIMESTAMP '2024-01-01 12:00:00'"),
        ("UTC", "none", "TIMESTAMPTZ '2024-01-01 12:00:00+00'"),
    ],
    ids=["a zone in the file alone", "a zone in the metadata alone"],
)
@pytest.mark.parametrize(("zone", "rows"), [("UTC", 1), ("Asia/Kolkata", 0)])
def test_duckdb_finds_the_row_in_utc_alone(
    tmp_path: Path, declared: str, stored: str, literal: str, zone: str, rows: int
) -> None:
    assert found_by_duckdb(written(tmp_path, STORED[declared], STORED[stored]), zone, literal) == rows


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata"])
def test_duckdb_finds_the_row_of_a_file_of_the_declared_type_in_every_zone(tmp_path: Path, zone: str) -> None:
    metadata = written(tmp_path, STORED["none"], STORED["none"])
    assert found_by_duckdb(metadata, zone, "TIMESTAMP '2024-01-01 12:00:00'") == 1

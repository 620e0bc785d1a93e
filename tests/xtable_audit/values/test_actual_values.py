"""The truth against a naive count in pure Python, over files drawn with everything that goes wrong in files."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import fs
from pyiceberg.schema import Schema
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DecimalType,
    DoubleType,
    IntegerType,
    LongType,
    NestedField,
    StringType,
    StructType,
    TimestamptzType,
    UUIDType,
)

from xtable_audit.formats.iceberg.columns import leaves
from xtable_audit.model.columns import Leaf
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.objects import Objects
from xtable_audit.model.scan_input import DataFiles, Wanted
from xtable_audit.scan import LocalScanner
from xtable_audit.values import row_groups
from xtable_audit.values.measured_rows import ActualMetrics

CITY = StructType(NestedField(8, "city", StringType()), NestedField(9, "zip", LongType()))
SCHEMA = Schema(
    NestedField(1, "n", LongType()),
    NestedField(2, "x", DoubleType()),
    NestedField(3, "word", StringType()),
    NestedField(4, "money", DecimalType(9, 2)),
    NestedField(5, "flag", BooleanType()),
    NestedField(6, "bytes", BinaryType()),
    NestedField(7, "place", CITY),
    NestedField(10, "later", IntegerType()),
)
LEAVES = leaves(SCHEMA)
STRUCT = pa.struct([("city", pa.string()), ("zip", pa.int32())])
ARROW = pa.schema(
    [
        ("n", pa.int32()),
        ("x", pa.float64()),
        ("word", pa.string()),
        ("money", pa.decimal128(9, 2)),
        ("flag", pa.bool_()),
        ("bytes", pa.binary()),
        ("place", STRUCT),
    ]
)
"""As a file holds it: `n` not yet promoted to long, `later` not yet there."""

WORDS = st.sampled_from(["", "a", "Z", "é", "🙂", "\ufffd", "a" * 40, "\0"])
ROW = st.fixed_dictionaries(
    {
        "n": st.none() | st.integers(-(2**31), 2**31 - 1),
        "x": st.none() | st.sampled_from([math.nan, math.inf, -math.inf, -0.0, 0.0, 1.5]) | st.floats(allow_nan=True),
        "word": st.none() | WORDS,
        "money": st.none() | st.integers(-(10**9) + 1, 10**9 - 1).map(lambda n: Decimal(n).scaleb(-2)),
        "flag": st.none() | st.booleans(),
        "bytes": st.none() | st.binary(max_size=3),
        "place": st.none() | st.fixed_dictionaries({"city": st.none() | WORDS, "zip": st.none() | st.integers(0, 9)}),
    }
)


def objects(folder: Path) -> Objects:
    return Objects(fs.SubTreeFileSystem(str(folder), fs.LocalFileSystem()))


def read_actual_metrics(objects: Objects, paths: list[str], leaves: tuple[Leaf, ...]) -> ActualMetrics:
    scanner, wanted = LocalScanner(objects), Wanted(tuple(leaf.column for leaf in leaves))
    return ActualMetrics.of(scanner.measure(DataFiles.at(paths), wanted), paths)


def naive(rows: list[dict[str, Any]], path: str) -> dict[str, Any]:
    """min, max and the counts of a column, by Python's own order; strings by their UTF-8 bytes."""
    values: list[Any] = rows
    for name in path.split("."):
        values = [None if value is None else value.get(name) for value in values]
    present = [value for value in values if value is not None]
    numbers = [value for value in present if not (isinstance(value, float) and math.isnan(value))]
    ordered = sorted(numbers, key=lambda v: v.encode() if isinstance(v, str) else v)
    return {
        "min": ordered[0] if ordered else None,
        "max": ordered[-1] if ordered else None,
        "value_count": len(values),
        "null_count": len(values) - len(present),
        "nan_count": len(present) - len(numbers),
    }


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files=st.lists(st.lists(ROW, max_size=12), min_size=1, max_size=3), group=st.integers(1, 5))
def test_actual_values_are_those_of_a_naive_count(
    tmp_path: Path, files: list[list[dict[str, Any]]], group: int
) -> None:
    paths = []
    for number, rows in enumerate(files):
        pq.write_table(pa.Table.from_pylist(rows, ARROW), tmp_path / f"{number}.parquet", row_group_size=group)
        paths.append(f"s3://{number}.parquet")
    found = read_actual_metrics(objects(tmp_path), paths, LEAVES)
    assert found.files["record_count"].to_pylist() == [len(rows) for rows in files]
    for leaf in LEAVES:
        assert found.columns[leaf.path].to_pylist() == [naive(rows, leaf.path) for rows in files]
        assert found.columns[leaf.path]["min"].type == leaf.arrow


def write(folder: Path, table: pa.Table, **options: Any) -> str:
    pq.write_table(table, folder / "file.parquet", **options)
    return "s3://file.parquet"


def measured(folder: Path, table: pa.Table, column: str, **options: Any) -> dict[str, Any]:
    path = write(folder, table, **options)
    row: dict[str, Any] = read_actual_metrics(objects(folder), [path], LEAVES).columns[column].to_pylist()[0]
    return row


def field(name: str, type: pa.DataType, id: int) -> pa.Field:
    return pa.field(name, type, metadata={"PARQUET:field_id": str(id)})


def test_field_id_finds_a_renamed_column(tmp_path: Path) -> None:
    table = pa.table([pa.array([5, 6])], schema=pa.schema([field("old_name", pa.int64(), 1)]))
    assert measured(tmp_path, table, "n")["max"] == 6


def test_field_id_wins_over_a_name(tmp_path: Path) -> None:
    """`n` was dropped and added again: the file's `n` is another column."""
    table = pa.table([pa.array([5, 6])], schema=pa.schema([field("n", pa.int64(), 77)]))
    assert measured(tmp_path, table, "n")["null_count"] == 2


def test_field_id_finds_a_renamed_column_in_a_renamed_struct(tmp_path: Path) -> None:
    struct = pa.struct([field("town", pa.string(), 8)])
    table = pa.table([pa.array([{"town": "Bern"}, None], struct)], schema=pa.schema([field("address", struct, 7)]))
    found = measured(tmp_path, table, "place.city")
    assert (found["min"], found["null_count"]) == ("Bern", 1)


@pytest.mark.parametrize("batch", [1, 2, 3, 100])
def test_batches_do_not_change_the_actual_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batch: int) -> None:
    monkeypatch.setattr(row_groups, "BATCH_ROWS", batch)
    found = measured(tmp_path, pa.table({"n": [3, None, -7, 12, 0]}), "n", row_group_size=2)
    assert found == {"min": -7, "max": 12, "value_count": 5, "null_count": 1, "nan_count": 0}


def test_footer_statistics_are_not_read(tmp_path: Path) -> None:
    without = measured(tmp_path, pa.table({"n": [1, 9]}), "n", write_statistics=False)
    assert (without["min"], without["max"]) == (1, 9)


def test_dictionary_encoded_words_are_words(tmp_path: Path) -> None:
    table = pa.table({"word": pa.array(["b", "a", None]).dictionary_encode()})
    assert measured(tmp_path, table, "word")["min"] == "a"


def test_nanoseconds_are_read_where_no_digit_is_lost(tmp_path: Path) -> None:
    schema = Schema(NestedField(1, "at", TimestamptzType()))
    path = write(tmp_path, pa.table({"at": pa.array([5000], pa.timestamp("ns", "UTC"))}), version="2.6")
    found = read_actual_metrics(objects(tmp_path), [path], leaves(schema)).columns["at"]
    assert found["min"].cast(pa.int64()).to_pylist() == [5]


def test_uuids_are_compared_as_bytes(tmp_path: Path) -> None:
    table = pa.table({"id": pa.array([b"\x01" * 16, b"\xf0" * 16, None], pa.uuid())})
    found = read_actual_metrics(
        objects(tmp_path), [write(tmp_path, table)], leaves(Schema(NestedField(1, "id", UUIDType())))
    )
    assert found.columns["id"].to_pylist()[0]["max"] == b"\xf0" * 16


def test_a_missing_file_has_no_actual_values(tmp_path: Path) -> None:
    found = read_actual_metrics(objects(tmp_path), ["s3://nowhere.parquet"], LEAVES)
    assert found.files.to_pylist() == [
        {
            "path": "s3://nowhere.parquet",
            "exists": False,
            **dict.fromkeys(("size", "format", "record_count", "counted", "unordered", "groups")),
        }
    ]
    assert set(found.columns["n"].to_pylist()[0].values()) == {None}


def test_file_listed_twice_is_measured_in_both_places(tmp_path: Path) -> None:
    path = write(tmp_path, pa.table({"n": [1, 2]}))
    assert read_actual_metrics(objects(tmp_path), [path, path], LEAVES).columns["n"]["max"].to_pylist() == [2, 2]


@pytest.mark.parametrize("values", [["12", "13"], [True, False], [1.0, 2.0]], ids=["words", "flags", "floats"])
def test_values_of_another_kind_are_no_numbers(tmp_path: Path, values: list[Any]) -> None:
    with pytest.raises(Malformed, match="column n holds"):
        measured(tmp_path, pa.table({"n": values}), "n")


def test_int96_is_read_beyond_the_years_of_nanoseconds(tmp_path: Path) -> None:
    schema = Schema(NestedField(1, "at", TimestamptzType()))
    long_ago = datetime(1001, 2, 3, tzinfo=UTC)
    table = pa.table({"at": pa.array([long_ago], pa.timestamp("us", "UTC"))})
    path = write(tmp_path, table, use_deprecated_int96_timestamps=True, store_schema=False)
    found = read_actual_metrics(objects(tmp_path), [path], leaves(schema))
    assert found.columns["at"]["min"].to_pylist() == [long_ago]
    [held] = found.schemas
    assert held is not None
    assert held.field("at").type == pa.timestamp("us", "UTC")

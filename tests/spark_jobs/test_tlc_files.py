"""The refusal of a folder of TLC files before Spark starts: one sentence, naming file and column."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pytest

from spark_jobs import tlc
from spark_jobs.columns import GREEN
from tests.spark_jobs.conftest import MonthFile
from xtable_audit.model.problem import Problem


def test_the_real_green_months_are_of_one_colour(tlc_months: Path) -> None:
    assert {month.colour.name for month in tlc.find(tlc_months)} == {"green"}


def test_a_column_of_type_null_has_no_spelling(month_file: MonthFile, tmp_path: Path) -> None:
    month_file(colour=GREEN, types={"ehail_fee": pa.null()})
    assert tlc.find(tmp_path)[0].spelling["ehail_fee"] is None


def test_a_column_is_found_in_either_spelling(month_file: MonthFile, tmp_path: Path) -> None:
    month_file(renamed={"airport_fee": "Airport_fee"})
    assert tlc.find(tmp_path)[0].spelling["airport_fee"] == "Airport_fee"


def test_an_empty_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(Problem, match=r"There are no \.parquet files in .*: --tlc takes a folder"):
        tlc.find(tmp_path)


def test_a_folder_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(Problem, match=r"There are no \.parquet files in .*nowhere"):
        tlc.find(tmp_path / "nowhere")


def test_a_truncated_file_is_reported(month_file: MonthFile, tmp_path: Path) -> None:
    path = month_file()
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(Problem, match=r"2023-01\.parquet is not a readable Parquet file \(.*\): download it again"):
        tlc.find(tmp_path)


def test_a_file_without_pickup_times_is_reported(month_file: MonthFile, tmp_path: Path) -> None:
    month_file(without="tpep_pickup_datetime")
    with pytest.raises(Problem, match=r"2023-01\.parquet has neither column tpep_pickup_datetime nor lpep_pickup"):
        tlc.find(tmp_path)


def test_a_missing_column_is_reported(month_file: MonthFile, tmp_path: Path) -> None:
    month_file(without="fare_amount")
    with pytest.raises(Problem, match=r"2023-01\.parquet has no column fare_amount"):
        tlc.find(tmp_path)


@pytest.mark.parametrize(
    ("column", "type_", "wanted"),
    [
        ("fare_amount", pa.string(), "double"),
        ("VendorID", pa.bool_(), "bigint"),
        ("store_and_fwd_flag", pa.int64(), "string"),
        ("tpep_dropoff_datetime", pa.string(), "timestamp"),
        ("tpep_dropoff_datetime", pa.timestamp("ns"), "timestamp"),
    ],
)
def test_a_type_that_cannot_be_normalised_is_reported(
    month_file: MonthFile, tmp_path: Path, column: str, type_: pa.DataType, wanted: str
) -> None:
    month_file(types={column: type_})
    sentence = rf"2023-01\.parquet: column {column} has the type {re.escape(str(type_))}, which cannot become {wanted}"
    with pytest.raises(Problem, match=sentence):
        tlc.find(tmp_path)


def test_mixed_colours_are_reported(month_file: MonthFile, tmp_path: Path) -> None:
    month_file("a.parquet")
    month_file("b.parquet", colour=GREEN)
    with pytest.raises(Problem, match=r"a\.parquet holds yellow trips and b\.parquet holds green ones"):
        tlc.find(tmp_path)

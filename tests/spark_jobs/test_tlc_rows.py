"""Real and made-up TLC months, read through Spark."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

from spark_jobs import tlc
from spark_jobs.columns import GREEN, PICKUP_MONTH, YELLOW
from tests.spark_jobs.conftest import MonthFile
from xtable_audit.model.problem import Problem

pytestmark = [
    pytest.mark.spark,
    pytest.mark.usefixtures("sockets_collected"),
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),  # PySpark's own, one for every collect()
]


@pytest.fixture(scope="module")
def green(spark: SparkSession, tlc_months: Path) -> DataFrame:
    return tlc.read(spark, tlc.find(tlc_months), 2023).frame.cache()


def test_the_real_green_months_keep_the_trips_of_2023(green: DataFrame) -> None:
    assert {row[0]: row[1] for row in green.groupBy(PICKUP_MONTH).count().collect()} == {
        "2023-01": 68_231,
        "2023-02": 64_792,
        "2023-03": 72_036,
        "2023-04": 1,
    }


def test_the_real_green_months_have_one_schema(green: DataFrame) -> None:
    assert dict(green.dtypes) == GREEN.columns | {PICKUP_MONTH: "string"}


def test_yellow_months_of_different_types_unite(spark: SparkSession, month_file: MonthFile, tmp_path: Path) -> None:
    month_file("a.parquet", types={"VendorID": pa.int32(), "passenger_count": pa.int64(), "RatecodeID": pa.int64()})
    month_file("b.parquet", renamed={"airport_fee": "Airport_fee"}, types={"congestion_surcharge": pa.null()})
    united = tlc.read(spark, tlc.find(tmp_path), 2023).frame
    assert (dict(united.dtypes), united.count()) == (YELLOW.columns | {PICKUP_MONTH: "string"}, 6)


def test_wall_time_is_kept_as_utc(spark: SparkSession, month_file: MonthFile, tmp_path: Path) -> None:
    month_file()
    row = tlc.read(spark, tlc.find(tmp_path), 2023).frame.selectExpr(f"string({YELLOW.pickup})", PICKUP_MONTH).first()
    assert row == ("2023-01-31 23:59:59", "2023-01")


def test_a_year_without_trips_is_reported(spark: SparkSession, month_file: MonthFile, tmp_path: Path) -> None:
    month_file()
    with pytest.raises(Problem, match=r"No trip in .* was picked up in 2019: choose another --year"):
        tlc.read(spark, tlc.find(tmp_path), 2019)


def test_a_file_with_damaged_pages_is_reported(spark: SparkSession, month_file: MonthFile, tmp_path: Path) -> None:
    path = month_file()
    pickups = pq.read_metadata(path).row_group(0).column(1)
    with path.open("r+b") as file:
        file.seek(pickups.dictionary_page_offset)
        file.write(bytes(pickups.total_compressed_size))
    with pytest.raises(Problem, match=r"2023-01\.parquet is damaged: its rows cannot be read"):
        tlc.read(spark, tlc.find(tmp_path), 2023)

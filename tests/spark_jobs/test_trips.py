"""Trips: the TLC's months, as they are refused before Spark starts and as Spark reads them, and generated ones."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from spark_jobs import tlc
from spark_jobs.columns import GREEN, PICKUP_MONTH, YELLOW
from spark_jobs.trips import generate
from spark_jobs.volume import month_counts, total_rows
from tests.spark_jobs.conftest import MonthFile
from xtable_audit.model.problem import Problem

# The TLC's months.


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


# read through Spark


def by_spark(test: Callable[..., None]) -> Callable[..., None]:
    """A test that opens Spark in this process."""
    quiet = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")  # PySpark's, one for every collect()
    marked: Callable[..., None] = pytest.mark.spark(quiet(test))
    return marked


@pytest.fixture(scope="module")
def green(spark: SparkSession, tlc_months: Path) -> DataFrame:
    return tlc.read(spark, tlc.find(tlc_months), 2023).frame.cache()


@by_spark
def test_the_real_green_months_keep_the_trips_of_2023(green: DataFrame) -> None:
    assert {row[0]: row[1] for row in green.groupBy(PICKUP_MONTH).count().collect()} == {
        "2023-01": 68_231,
        "2023-02": 64_792,
        "2023-03": 72_036,
        "2023-04": 1,
    }


@by_spark
def test_the_real_green_months_have_one_schema(green: DataFrame) -> None:
    assert dict(green.dtypes) == GREEN.columns | {PICKUP_MONTH: "string"}


@by_spark
def test_yellow_months_of_different_types_unite(spark: SparkSession, month_file: MonthFile, tmp_path: Path) -> None:
    month_file("a.parquet", types={"VendorID": pa.int32(), "passenger_count": pa.int64(), "RatecodeID": pa.int64()})
    month_file("b.parquet", renamed={"airport_fee": "Airport_fee"}, types={"congestion_surcharge": pa.null()})
    united = tlc.read(spark, tlc.find(tmp_path), 2023).frame
    assert (dict(united.dtypes), united.count()) == (YELLOW.columns | {PICKUP_MONTH: "string"}, 6)


@by_spark
def test_wall_time_is_kept_as_utc(spark: SparkSession, month_file: MonthFile, tmp_path: Path) -> None:
    month_file()
    row = tlc.read(spark, tlc.find(tmp_path), 2023).frame.selectExpr(f"string({YELLOW.pickup})", PICKUP_MONTH).first()
    assert row == ("2023-01-31 23:59:59", "2023-01")


@by_spark
def test_a_year_without_trips_is_reported(spark: SparkSession, month_file: MonthFile, tmp_path: Path) -> None:
    month_file()
    with pytest.raises(Problem, match=r"No trip in .* was picked up in 2019: choose another --year"):
        tlc.read(spark, tlc.find(tmp_path), 2019)


@by_spark
def test_a_file_with_damaged_pages_is_reported(spark: SparkSession, month_file: MonthFile, tmp_path: Path) -> None:
    path = month_file()
    pickups = pq.read_metadata(path).row_group(0).column(1)
    with path.open("r+b") as file:
        file.seek(pickups.dictionary_page_offset)
        file.write(bytes(pickups.total_compressed_size))
    with pytest.raises(Problem, match=r"2023-01\.parquet is damaged: its rows cannot be read"):
        tlc.read(spark, tlc.find(tmp_path), 2023)


# The generated trips.

pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),  # PySpark's own, one for every collect()
]

SCALE = 0.002
UNRECORDED = ("passenger_count", "RatecodeID", "store_and_fwd_flag", "congestion_surcharge", "airport_fee")


@pytest.fixture(scope="module")
def trips(spark: SparkSession) -> DataFrame:
    return generate(spark, SCALE, seed=7).frame.cache()


@pytest.fixture(scope="module")
def figures(trips: DataFrame) -> Row:
    """Figures of the whole table, taken in one pass."""
    first_null, *others = (F.col(column).isNull() for column in UNRECORDED)
    same = F.lit(True)
    for other in others:
        same = same & (first_null == other)
    found = trips.agg(
        F.avg(first_null.cast("int")).alias("unrecorded"),
        F.bool_and(same).alias("null_together"),
        F.bool_and(F.unix_micros("tpep_pickup_datetime") % 1_000_000 == 0).alias("whole_seconds"),
        F.bool_and(F.round("total_amount", 2) == F.col("total_amount")).alias("whole_cents"),
        F.bool_and(F.col("tpep_dropoff_datetime") >= F.col("tpep_pickup_datetime")).alias("forwards"),
        F.min("fare_amount").alias("lowest_fare"),
        F.avg("fare_amount").alias("mean_fare"),
        F.min("PULocationID").alias("lowest_zone"),
        F.max("PULocationID").alias("highest_zone"),
    ).first()
    assert found is not None
    return found


def content(frame: DataFrame) -> Row | None:
    """A number for the rows, whatever their order."""
    return frame.agg(F.sum(F.xxhash64(*frame.columns).cast("decimal(38,0)")), F.count("*")).first()


def test_the_month_counts_are_exact(trips: DataFrame) -> None:
    assert {row[0]: row[1] for row in trips.groupBy(PICKUP_MONTH).count().collect()} == month_counts(SCALE)


def test_columns_and_types_are_the_published_ones_and_the_month(trips: DataFrame) -> None:
    assert dict(trips.dtypes) == YELLOW.columns | {PICKUP_MONTH: "string"}


def test_every_published_column_may_be_null(trips: DataFrame) -> None:
    assert all(field.nullable for field in trips.schema)


@pytest.mark.parametrize("partitions", [1, 5])
def test_the_number_of_partitions_changes_nothing(spark: SparkSession, trips: DataFrame, partitions: int) -> None:
    assert content(generate(spark, SCALE, seed=7, partitions=partitions).frame) == content(trips)


def test_another_seed_is_another_table(spark: SparkSession, trips: DataFrame) -> None:
    assert content(generate(spark, SCALE, seed=8).frame) != content(trips)


def test_what_the_meter_did_not_send_is_null_together(figures: Row) -> None:
    assert figures.null_together


def test_about_one_row_in_forty_three_is_unrecorded(figures: Row) -> None:
    assert figures.unrecorded == pytest.approx(0.023, abs=0.005)


def test_times_are_whole_seconds(figures: Row) -> None:
    assert figures.whole_seconds


def test_amounts_are_whole_cents(figures: Row) -> None:
    assert figures.whole_cents


def test_no_trip_ends_before_it_begins(figures: Row) -> None:
    assert figures.forwards


def test_some_fares_are_negative(figures: Row) -> None:
    assert figures.lowest_fare < 0


def test_the_mean_fare_is_of_this_world(figures: Row) -> None:
    assert 14 < figures.mean_fare < 22


def test_zones_are_the_265(figures: Row) -> None:
    assert (figures.lowest_zone, figures.highest_zone) == (1, 265)


def test_spark_deals_the_published_rows_to_the_four_bad_files(spark: SparkSession) -> None:
    from spark_jobs.bad_layout import FILES
    from spark_jobs.volume import INPUT_PARTITIONS

    ids = spark.range(0, total_rows(1), 1, INPUT_PARTITIONS).repartition(FILES)
    dealt = ids.groupBy(F.spark_partition_id()).count().collect()
    assert sorted(row[1] for row in dealt) == [2_346_107, 2_346_108, 2_346_109, 2_346_109]

"""The generated trips."""

from __future__ import annotations

import pytest
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from spark_jobs.columns import PICKUP_MONTH, YELLOW
from spark_jobs.trips import generate
from spark_jobs.volume import month_counts, total_rows

pytestmark = [
    pytest.mark.spark,
    pytest.mark.usefixtures("sockets_collected"),
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

"""native_iceberg: Iceberg as Spark writes it, partitioned by identity of pickup_month, one sorted file a month."""

from __future__ import annotations

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from spark_jobs import job
from spark_jobs.columns import PICKUP_MONTH
from spark_jobs.layout import by_month
from spark_jobs.recipes import RECIPES
from spark_jobs.trips import Trips

PROPERTIES = {
    "format-version": "2",
    "write.distribution-mode": "none",  # the rows come distributed
    "write.target-file-size-bytes": str(8 << 30),  # one file a month, however long the month
}


def write(trips: Trips, target: str) -> job.CommitFacts:
    table = named(target, trips.frame.sparkSession)
    writer = by_month(trips).writeTo(table).using("iceberg").partitionedBy(F.col(PICKUP_MONTH))
    for key, value in PROPERTIES.items():
        writer = writer.tableProperty(key, value)
    writer.create()
    return written(trips, table)


def named(target: str, spark: SparkSession) -> str:
    """A name for the table exactly at `target`: the tables of a Hadoop catalogue are the folders of its warehouse."""
    warehouse, _, name = target.rpartition("/")
    catalogue = {"": "org.apache.iceberg.spark.SparkCatalog", ".type": "hadoop", ".warehouse": warehouse}
    for key, value in catalogue.items():
        spark.conf.set(f"spark.sql.catalog.iceberg{key}", value)
    return f"iceberg.`{name}`"


def written(trips: Trips, table: str) -> job.CommitFacts:
    """What the table's one snapshot says of itself."""
    spark = trips.frame.sparkSession
    jvm = spark.sparkContext._jvm
    assert jvm is not None
    iceberg = jvm.org.apache.iceberg.spark.Spark3Util.loadIcebergTable(spark._jsparkSession, table)
    summary = iceberg.currentSnapshot().summary()
    return job.CommitFacts(rows=int(summary.get("total-records")), files=int(summary.get("total-data-files")))


if __name__ == "__main__":
    job.main(RECIPES["native_iceberg"], write)

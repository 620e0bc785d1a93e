"""Writes a step of a Delta table with Spark, and reads the table's rows back through Delta."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from lab.stack.mount import Place
from spark_jobs.battery.rows import handed_over
from spark_jobs.battery.table import BatteryTable, Statement, Write

SETTINGS = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.databricks.delta.optimize.maxThreads": "1",
}
"""Settings of a session that writes Delta tables."""

MODES = {"append": "append", "overwrite": "overwrite"}


def write(spark: SparkSession, table: BatteryTable, step: Write, place: Place, scratch: Path) -> None:
    """One commit. `scratch` is an empty folder for the rows on their way to Spark."""
    rows = handed_over(spark, step, scratch)
    writer = rows.write.format("delta").options(**table.options, **step.options).mode(MODES[step.operation])
    if table.partition_by:
        writer = writer.partitionBy(*table.partition_by)
    writer.save(place.address)


def execute(spark: SparkSession, statement: Statement, place: Place) -> None:
    """One statement of SQL, in which `{table}` is the table."""
    spark.sql(statement.sql.format(table=f"delta.`{place.address}`")).collect()


def read_rows(spark: SparkSession, address: str) -> DataFrame:
    """The rows that Delta itself shows."""
    return spark.read.format("delta").load(address)


def commits(folder: Path) -> set[str]:
    """The versions of all commits so far."""
    return {path.stem for path in (folder / "_delta_log").glob("*.json")}

"""Writes a step of a Delta table with Spark, and asks Delta what the table then holds."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

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


def write(spark: SparkSession, table: BatteryTable, step: Write, target: Path, scratch: Path) -> None:
    """One commit. `scratch` is an empty folder for the rows on their way to Spark."""
    rows = handed_over(spark, step, scratch)
    writer = rows.write.format("delta").options(**table.options, **step.options).mode(MODES[step.operation])
    if table.partition_by:
        writer = writer.partitionBy(*table.partition_by)
    writer.save(str(target))


def execute(spark: SparkSession, statement: Statement, target: Path) -> None:
    """One statement of SQL, in which `{table}` is the table."""
    spark.sql(statement.sql.format(table=f"delta.`{target}`")).collect()


def shown(spark: SparkSession, table: Path) -> DataFrame:
    """The rows that Delta itself shows."""
    return spark.read.format("delta").load(str(table))


def commits(target: Path) -> set[str]:
    """The versions of all commits so far."""
    return {path.stem for path in (target / "_delta_log").glob("*.json")}

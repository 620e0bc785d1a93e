"""Rows on their way into Spark, and out of it."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from spark_jobs.battery.table import File, Write


def handed_over(spark: SparkSession, step: Write, scratch: Path) -> DataFrame:
    """The rows as a frame of one Spark partition a file, through Parquet files: Python's types touch no value."""
    scratch.mkdir(parents=True)
    for number, one in enumerate(step.files):
        pq.write_table(arrow(one, step.schema), scratch / f"{number:03d}.parquet", compression="none")
    return spark.read.parquet(str(scratch))


def arrow(one: File, schema: pa.Schema) -> pa.Table:
    """The file's rows under the types of the write."""
    return pa.table({field.name: pa.array(one.columns[field.name], field.type) for field in schema}, schema=schema)


def kept(rows: DataFrame, scratch: Path, target: Path) -> int:
    """Writes the rows to the one Parquet file `target`, and returns how many they are."""
    rows.coalesce(1).write.option("compression", "none").parquet(str(scratch))
    (written,) = scratch.glob("*.parquet")
    written.rename(target)
    return int(pq.read_metadata(target).num_rows)

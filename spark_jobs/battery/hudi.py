"""Writes a step of a Hudi table with Spark, and reads the table's rows back through Hudi."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from lab.stack.mount import Place
from spark_jobs.battery.rows import handed_over
from spark_jobs.battery.table import KEY, BatteryTable, Write

OPTIONS = {
    "hoodie.datasource.write.table.type": "COPY_ON_WRITE",
    "hoodie.datasource.write.recordkey.field": KEY,
    "hoodie.datasource.write.hive_style_partitioning": "true",
    "hoodie.parquet.outputtimestamptype": "TIMESTAMP_MICROS",
    "hoodie.parquet.compression.codec": "uncompressed",  # tens of rows: a codec only costs its loading
    # Column statistics come from the Parquet footers unless a table's options enable Hudi's own index.
    "hoodie.metadata.enable": "false",
    # A file for each of our files, however small: nothing sorted, merged, or put into a file that is already there.
    "hoodie.bulkinsert.sort.mode": "NONE",
    "hoodie.parquet.small.file.limit": "0",
    "hoodie.combine.before.upsert": "false",  # our keys are unique within a write, so no column orders them
    "hoodie.datasource.write.payload.class": "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload",
    # Tens of rows a write: one task, no server, and no table service that the table does not name.
    "hoodie.bulkinsert.shuffle.parallelism": "1",
    "hoodie.insert.shuffle.parallelism": "1",
    "hoodie.upsert.shuffle.parallelism": "1",
    "hoodie.delete.shuffle.parallelism": "1",
    "hoodie.simple.index.parallelism": "1",
    "hoodie.index.type": "SIMPLE",
    "hoodie.file.listing.parallelism": "1",
    "hoodie.finalize.write.parallelism": "1",
    "hoodie.rollback.parallelism": "1",
    "hoodie.markers.delete.parallelism": "1",
    "hoodie.embed.timeline.server": "false",
    "hoodie.write.markers.type": "DIRECT",
    "hoodie.clean.automatic": "false",
    "hoodie.archive.automatic": "false",
    "hoodie.index.bloom.num_entries": "10",
    "hoodie.index.bloom.fpp": "0.1",
    "hoodie.bloom.index.filter.type": "SIMPLE",
}


def options(table: BatteryTable, further: Mapping[str, str]) -> dict[str, str]:
    """A write's options: the battery's own, the table's, the step's."""
    keys = "NonpartitionedKeyGenerator"
    if table.partition_by:
        keys = "SimpleKeyGenerator" if len(table.partition_by) == 1 else "ComplexKeyGenerator"
    named = {
        "hoodie.table.name": table.name,
        "hoodie.datasource.write.partitionpath.field": ",".join(table.partition_by),
        "hoodie.datasource.write.keygenerator.class": f"org.apache.hudi.keygen.{keys}",
    }
    return OPTIONS | named | dict(table.options) | dict(further)


def write(spark: SparkSession, table: BatteryTable, step: Write, place: Place, scratch: Path) -> None:
    """One commit. `scratch` is an empty folder for the rows on their way to Spark."""
    first = not place.folder.exists()
    frame = handed_over(spark, step, scratch)
    chosen = options(table, step.options) | {"hoodie.datasource.write.operation": step.operation}
    frame.write.format("hudi").options(**chosen).mode("overwrite" if first else "append").save(place.address)


def read_rows(spark: SparkSession, address: str, given: pa.Schema) -> DataFrame:
    """The rows that Hudi itself shows.

    Raises RuntimeError where they are texts from its paths instead of values of another type in `given`.
    """
    rows = spark.read.format("hudi").option("hoodie.metadata.enable", "false").load(address)
    texts = {name for name, type_ in rows.dtypes if type_ == "string"}
    astray = [field.name for field in given if field.name in texts and not pa.types.is_string(field.type)]
    if astray:
        raise RuntimeError(f"Hudi shows {', '.join(astray)} as the text in its paths")
    return rows

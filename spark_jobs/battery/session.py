"""The one session that writes the whole battery: as small as its tables."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

from lab.stack import spark as stack_spark
from lab.stack.mount import Mount

CORES = 2
"""A table of tens of rows keeps no more threads busy."""

ONE_FILE = str(128 << 20)
SETTINGS = {
    "spark.sql.shuffle.partitions": "1",
    "spark.default.parallelism": "1",
    # One task for each file of rows, however small.
    "spark.sql.files.openCostInBytes": ONE_FILE,
    "spark.sql.files.maxPartitionBytes": ONE_FILE,
    # One calendar from year 1 on, the one that Iceberg's dates and times mean.
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInWrite": "CORRECTED",
    "spark.sql.avro.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.avro.datetimeRebaseModeInWrite": "CORRECTED",
    "spark.sql.parquet.enableVectorizedReader": "false",  # it cannot read what Hudi writes of bytes and shorts
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    # Code made and compiled for a query costs more than tens of rows can give back.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}


@contextmanager
def opened(
    jars: Sequence[Path], java_home: Path, memory: str, further: Mapping[str, str], mount: Mount | None = None
) -> Iterator[SparkSession]:
    """A session in a JVM of its own, both gone afterwards. `memory` is as Spark writes it ('1g')."""
    with tempfile.TemporaryDirectory(prefix="xtable-audit-spark-") as scratch:
        settings = stack_spark.settings(memory, scratch, [stack_spark.FEWER_OPTIMISATIONS])
        spark = stack_spark.start("battery", jars, java_home, CORES, settings | SETTINGS | dict(further))
        stack_spark.reach(spark, mount.hadoop() if mount else {})
        try:
            yield spark
        finally:
            stack_spark.stop(spark)

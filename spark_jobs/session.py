"""The Spark session of a job: gone with its JVM and its scratch files when the job is done."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

from lab.stack import spark as stack_spark
from xtable_audit.access.s3 import S3

# Below this, Java's optimising compiler costs a job more than it gives (measured at 0.1 and 0.9 million rows).
FEW_ROWS = 500_000

# The generator is one method too huge for HotSpot's taste: 5 times faster
COMPILE_HUGE_METHODS = "-XX:-DontCompileHugeMethods"


@contextmanager
def opened(
    name: str,
    jars: Sequence[Path],
    java_home: Path,
    store: S3 | None,
    cores: int,
    memory: str,
    rows: int = 0,
) -> Iterator[SparkSession]:
    """A session in a JVM of its own, both gone afterwards, scratch files and all.

    `memory` is as Spark writes it ('2g'); `store` is None for local targets; `rows` is the size of the work to come.
    """
    with tempfile.TemporaryDirectory(prefix="xtable-audit-spark-") as scratch:
        spark = stack_spark.start(name, jars, java_home, cores, settings(memory, scratch, rows))
        try:
            if store is not None:
                stack_spark.reach(spark, store.hadoop())
            yield spark
        finally:
            stack_spark.stop(spark)


def settings(memory: str, scratch: str, rows: int) -> dict[str, str]:
    """Every setting of the session but the store's."""
    flags = [COMPILE_HUGE_METHODS, *([stack_spark.FEWER_OPTIMISATIONS] if rows < FEW_ROWS else [])]
    # The layout of the files is the datasets' business: Spark must not merge or split what they ask for.
    return stack_spark.settings(memory, scratch, flags) | {"spark.sql.shuffle.partitions": "4"}

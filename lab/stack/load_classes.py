"""A session that loads what most sessions do, and whose JVM leaves an archive of it as it ends: JAVA_HOME ARCHIVE."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from lab.stack import spark as stack_spark
from lab.stack.class_data import QUIET


def main(java_home: Path, archive: Path) -> None:
    flags = [stack_spark.FEWER_OPTIMISATIONS, f"-XX:ArchiveClassesAtExit={archive}", QUIET]
    with tempfile.TemporaryDirectory(prefix="xtable-audit-spark-") as scratch:
        settings = stack_spark.settings("1g", scratch, flags)
        del settings["spark.kryo.registrator"]  # Hudi's, which Spark alone does not have
        spark = stack_spark.start("classes", (), java_home, 2, settings)
        rows = spark.range(10).selectExpr("id", "string(id) s", "id % 2 = 0 b", "date_add(date'2024-01-01', int(id)) d")
        rows.repartition(2).write.partitionBy("b").parquet(f"{scratch}/parquet")
        spark.read.parquet(f"{scratch}/parquet").where("id > 3 and s <> 'x'").createOrReplaceTempView("t")
        spark.sql("select b, count(*), max(d), bit_xor(xxhash64(s)) from t group by b order by b").collect()
        stack_spark.stop(spark)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))

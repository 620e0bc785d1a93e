"""`python -m tests.xtable.one_writer ADDRESS`: one writer of several, which lock the table to commit.

For each line `STEP [GO]` of its standard input it writes that step of history_late_commit to the table at ADDRESS, in a
Spark of its own, and answers with the line WRITTEN. With GO, its rows are not ready before the file GO is there: the
commit has begun and is in flight until then.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql.functions import udf

from lab.stack.jars import resolve_spark_jars
from lab.stack.java import find_java
from lab.stack.mount import Place
from lab.stack.versions import stack
from spark_jobs import child
from spark_jobs.battery import hudi, session
from spark_jobs.battery.rows import handed_over
from spark_jobs.battery.table import Write
from spark_jobs.battery.tables import BATTERY

TABLE = BATTERY["history_late_commit"]
WRITTEN = "written"
TOGETHER = {
    "hoodie.write.concurrency.mode": "optimistic_concurrency_control",
    "hoodie.write.lock.provider": "org.apache.hudi.client.transaction.lock.FileSystemBasedLockProvider",
    "hoodie.cleaner.policy.failed.writes": "LAZY",
}
"""Hudi's options for several writers."""


def main(address: str) -> None:
    child.die_with_parent()
    java = find_java(stack().java)
    with session.opened(resolve_spark_jars(stack()), java, "1g", {}) as spark:
        for line in sys.stdin:
            with tempfile.TemporaryDirectory() as scratch:
                write(spark, address, Path(scratch), *line.split())
            print(WRITTEN, flush=True)


def write(spark: SparkSession, address: str, scratch: Path, step: str, go: str = "") -> None:
    action = TABLE.steps[int(step) - 1].action
    assert isinstance(action, Write)
    rows = handed_over(spark, action, scratch / "rows")
    if go:

        def after_go(value: str) -> str:
            while not Path(go).exists():
                time.sleep(0.1)
            return value

        rows = rows.withColumn("s", udf(after_go)(rows["s"]))
    place = Place(address, Path(address))
    mode = "append" if place.folder.exists() else "overwrite"
    options = hudi.options(TABLE, TOGETHER | {"hoodie.datasource.write.operation": action.operation})
    rows.write.format("hudi").options(**options).mode(mode).save(address)


if __name__ == "__main__":
    main(*sys.argv[1:])

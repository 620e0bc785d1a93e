"""The session that writes the table: in this process on local cores, or as the driver of a cluster."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkRuntimeError
from pyspark.sql import SparkSession

from lab.stack import spark as stack_spark
from spark_jobs import session
from spark_jobs.shipping.table import NAME
from xtable_audit.access.s3 import S3
from xtable_audit.model.problem import Problem

LOCAL = re.compile(r"local(?:\[(\d+|\*)\])?")

ON_A_CLUSTER = {
    "spark.serializer": "org.apache.spark.serializer.KryoSerializer",  # Hudi insists on it
    "spark.kryo.registrator": "org.apache.spark.HoodieSparkKryoRegistrar",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.showConsoleProgress": "false",  # the last line on stderr is ours
}


@contextmanager
def opened(
    master: str, jars: Sequence[Path], java_home: Path, store: S3 | None, memory: str, rows: int
) -> Iterator[SparkSession]:
    """A session on `master` whose JVM is gone afterwards. `store` None leaves S3 to the cluster's own settings."""
    with tempfile.TemporaryDirectory(prefix="xtable-audit-spark-") as scratch:
        cores = cores_of(master)
        spark = (
            _start_on(master, jars, java_home, memory)
            if cores is None
            else stack_spark.start(NAME, jars, java_home, cores, session.settings(memory, scratch, rows))
        )
        try:
            if store is not None:
                stack_spark.reach(spark, store.hadoop())
            yield spark
        finally:
            stack_spark.stop(spark)


def cores_of(master: str) -> int | None:
    """Threads of a local master, None for a cluster's: `local` is 1, `local[*]` all there are."""
    found = LOCAL.fullmatch(master)
    if found is None:
        return None
    return (os.cpu_count() or 1) if found[1] == "*" else int(found[1] or 1)


def _start_on(master: str, jars: Sequence[Path], java_home: Path, memory: str) -> SparkSession:
    """A driver here, executors there. What the cluster wants besides is its own: SPARK_CONF_DIR, HADOOP_CONF_DIR.

    The jars go to the executors with the application; the driver has them on its class path.
    """
    os.environ["JAVA_HOME"] = str(java_home)
    further = os.environ.get("SPARK_DIST_CLASSPATH", "").split(os.pathsep)
    os.environ["SPARK_DIST_CLASSPATH"] = os.pathsep.join(filter(None, [*further, *map(str, jars)]))
    builder = SparkSession.builder.master(master).appName(NAME).config("spark.driver.memory", memory)
    for key, value in (ON_A_CLUSTER | {"spark.jars": ",".join(map(str, jars))}).items():
        builder = builder.config(key, value)
    try:
        return builder.getOrCreate()
    except (Py4JJavaError, PySparkRuntimeError) as error:
        raise Problem(f"No Spark application starts on --master {master}: {str(error).splitlines()[-1]}") from error

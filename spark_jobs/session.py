"""One Spark session a process: local, in UTC, without a web page, listening on the loopback address alone."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

from store.s3 import Store

LOGGING = Path(__file__).with_name("log4j2.properties")

# Variables that would put another Spark, or somebody's own settings, under the job.
FOREIGN = ("SPARK_HOME", "SPARK_CONF_DIR", "PYSPARK_SUBMIT_ARGS", "SPARK_DIST_CLASSPATH", "HADOOP_CONF_DIR")

# Below this, Java's optimising compiler costs a job more than it gives (measured at 0.1 and 0.9 million rows).
FEW_ROWS = 500_000

# Give up on a store that does not answer within seconds; Hadoop's own patience is minutes.
PATIENCE = {
    "fs.s3a.attempts.maximum": "3",
    "fs.s3a.retry.limit": "3",
    "fs.s3a.connection.establish.timeout": "5000",
    "fs.s3a.connection.timeout": "60000",
}


@contextmanager
def opened(
    name: str,
    jars: Sequence[Path],
    java_home: Path,
    store: Store | None,
    cores: int,
    memory: str,
    rows: int = 0,
) -> Iterator[SparkSession]:
    """A session in a JVM of its own, both gone afterwards, scratch files and all.

    `memory` is as Spark writes it ('2g'); `store` is None for local targets; `rows` is the size of the work to come.
    """
    with tempfile.TemporaryDirectory(prefix="xtable-audit-spark-") as scratch:
        spark = start(name, jars, java_home, cores, settings(memory, scratch, rows))
        try:
            if store is not None:  # not through the settings: those are arguments of the JVM, for all to see in `ps`
                hadoop = spark.sparkContext._jsc.hadoopConfiguration()
                for key, value in (PATIENCE | store.hadoop()).items():
                    hadoop.set(key, value)
            yield spark
        finally:
            stop(spark)


def start(name: str, jars: Sequence[Path], java_home: Path, cores: int, settings: dict[str, str]) -> SparkSession:
    """Starts the JVM and the session."""
    for variable in FOREIGN:
        os.environ.pop(variable, None)
    os.environ["JAVA_HOME"] = str(java_home)
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    # At the end of the class path: Spark's own libraries win, and nothing is copied as `spark.jars` would.
    os.environ["SPARK_DIST_CLASSPATH"] = os.pathsep.join(map(str, jars))
    builder = SparkSession.builder.master(f"local[{cores}]").appName(name)
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def stop(spark: SparkSession) -> None:
    """Stops the session and waits until its JVM is gone."""
    gateway = spark.sparkContext._gateway
    assert gateway is not None
    spark.stop()
    gateway.shutdown()
    gateway.proc.stdin.close()  # the JVM ends when this pipe does
    gateway.proc.wait()


def settings(memory: str, scratch: str, rows: int) -> dict[str, str]:
    """Every setting of the session but the store's."""
    return {
        "spark.driver.memory": memory,
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.extraJavaOptions": java_options(scratch, rows),
        "spark.local.dir": scratch,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": f"{scratch}/warehouse",
        # The layout of the files is the datasets' business: Spark must not merge or split what they ask for.
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.serializer": "org.apache.spark.serializer.KryoSerializer",  # Hudi insists on it
        "spark.kryo.registrator": "org.apache.spark.HoodieSparkKryoRegistrar",
        "spark.hadoop.hadoop.tmp.dir": f"{scratch}/hadoop",
    }


def java_options(scratch: str, rows: int) -> str:
    """Flags of the JVM: its temporary files beside ours, and what makes a job of seconds cheaper (measured)."""
    flags = [
        f"-Djava.io.tmpdir={scratch}",
        f"-Dlog4j2.configurationFile={LOGGING.as_uri()}",
        "-Duser.timezone=UTC",
        "-XX:+UseSerialGC",
        "-XX:-DontCompileHugeMethods",  # the generator is one method too huge for HotSpot's taste: 5 times faster
    ]
    if rows < FEW_ROWS:
        flags.append("-XX:TieredStopAtLevel=1")
    return " ".join(flags)

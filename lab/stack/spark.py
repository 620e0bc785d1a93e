"""One Spark session a process: local, in UTC, without a web page, listening on the loopback address alone."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import py4j.java_gateway
import py4j.protocol
from pyspark import SparkContext
from pyspark.sql import SparkSession

from lab.stack import class_data

LOGGING = Path(__file__).with_name("log4j2.properties")

# Variables that would put another Spark, or somebody's own settings, under ours.
FOREIGN = ("SPARK_HOME", "SPARK_CONF_DIR", "PYSPARK_SUBMIT_ARGS", "SPARK_DIST_CLASSPATH", "HADOOP_CONF_DIR")

# Give up on a store that does not answer within seconds; Hadoop's own patience is minutes.
PATIENCE = {
    "fs.s3a.attempts.maximum": "3",
    "fs.s3a.retry.limit": "3",
    "fs.s3a.connection.establish.timeout": "5000",
    "fs.s3a.connection.timeout": "60000",
}

OPTIONS = "spark.driver.extraJavaOptions"
FEWER_OPTIMISATIONS = "-XX:TieredStopAtLevel=1"
"""For the JVM of little work: below some seconds Java's optimising compiler costs more than it gives (measured)."""


def start(name: str, jars: Sequence[Path], java_home: Path, cores: int, settings: Mapping[str, str]) -> SparkSession:
    """Starts the JVM and the session. The JVM watches a pipe of this process: it ends with it, even after `kill -9`.

    RuntimeError where a session is open already: PySpark would share it in silence, and the first to stop ends both.
    """
    if SparkContext._active_spark_context is not None:
        raise RuntimeError(f"cannot open the Spark session {name!r}: this process has one open, stop that one first")
    for variable in FOREIGN:
        os.environ.pop(variable, None)
    os.environ["JAVA_HOME"] = str(java_home)
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    # At the end of the class path: Spark's own libraries win, and nothing is copied as `spark.jars` would.
    os.environ["SPARK_DIST_CLASSPATH"] = os.pathsep.join(map(str, jars))
    builder = SparkSession.builder.master(f"local[{cores}]").appName(name)
    kept = {OPTIONS: " ".join([settings[OPTIONS], *class_data.options(java_home)])}
    for key, value in (dict(settings) | kept).items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def reach(spark: SparkSession, hadoop: Mapping[str, str]) -> None:
    """Tells the session its object store, by Hadoop's names.

    Not through the session's settings: those are arguments of the JVM, for all to see in `ps`.
    """
    configuration = spark.sparkContext._jsc.hadoopConfiguration()
    for key, value in (PATIENCE | dict(hadoop)).items():
        configuration.set(key, value)


def stop(spark: SparkSession) -> None:
    """Stops the session, waits until its JVM is gone, and makes PySpark forget it: another session may follow."""
    gateway = spark.sparkContext._gateway
    assert gateway is not None
    spark.stop()
    gateway.shutdown()
    gateway.proc.stdin.close()  # the JVM ends when this pipe does
    gateway.proc.wait()
    SparkContext._gateway = SparkContext._jvm = None
    # PySpark hooks itself into py4j for good: errors of every other JVM would be looked up in the one that is gone.
    py4j.java_gateway.get_return_value = py4j.protocol.get_return_value


def settings(memory: str, scratch: str, flags: Iterable[str] = ()) -> dict[str, str]:
    """What every session of ours is started with. `flags` are the JVM's, beside those that all have."""
    java = [
        f"-Djava.io.tmpdir={scratch}",
        f"-Dlog4j2.configurationFile={LOGGING.as_uri()}",
        "-Duser.timezone=UTC",
        "-XX:+UseSerialGC",
        # Hudi sizes its maps by jol, which would start two more JVMs to look at this one: 5 s, for an estimate.
        "-Djol.skipHotspotSAAttach=true",
        *flags,
    ]
    return {
        "spark.driver.memory": memory,
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        OPTIONS: " ".join(java),
        "spark.local.dir": scratch,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": f"{scratch}/warehouse",
        "spark.sql.adaptive.enabled": "false",  # the plan that is run is the one that was made
        "spark.serializer": "org.apache.spark.serializer.KryoSerializer",  # Hudi insists on it
        "spark.kryo.registrator": "org.apache.spark.HoodieSparkKryoRegistrar",
        "spark.hadoop.hadoop.tmp.dir": f"{scratch}/hadoop",
    }

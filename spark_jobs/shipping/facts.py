"""Facts of a written table: its commit, its properties, its indexes; and dropping one of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pyspark.sql import SparkSession

PARTITION_STATISTICS = "partition_stats"


def properties(spark: SparkSession, target: str) -> dict[str, str]:
    """`.hoodie/hoodie.properties`."""
    jvm = _jvm(spark)
    path = jvm.org.apache.hadoop.fs.Path(f"{target}/.hoodie/hoodie.properties")
    stream = path.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration()).open(path)
    try:
        read = jvm.java.util.Properties()
        read.load(stream)
    finally:
        stream.close()
    return {str(name): str(read.getProperty(name)) for name in read.stringPropertyNames()}


def indexes(spark: SparkSession, target: str) -> tuple[str, ...]:
    """The indexes that the table says it has, sorted."""
    return tuple(sorted(properties(spark, target).get("hoodie.table.metadata.partitions", "").split(",")))


def commit(spark: SparkSession, target: str) -> tuple[int, dict[str, int]]:
    """What the newest commit says it wrote: rows, and the files of each state."""
    hudi = _jvm(spark).org.apache.hudi
    storage = hudi.hadoop.fs.HadoopFSUtils.getStorageConf(spark.sparkContext._jsc.hadoopConfiguration())
    client = hudi.common.table.HoodieTableMetaClient.builder().setConf(storage).setBasePath(target).build()
    timeline = client.getCommitsTimeline().filterCompletedInstants()
    metadata = hudi.common.table.timeline.TimelineUtils.getCommitMetadata(timeline.lastInstant().get(), timeline)
    written = metadata.getPartitionToWriteStats()
    files = {str(path).partition("=")[2]: int(written.get(path).size()) for path in _each(written.keySet())}
    return int(metadata.fetchTotalRecordsWritten()), dict(sorted(files.items()))


def drop_partition_statistics(spark: SparkSession, target: str, table: str) -> None:
    """Takes the partition statistics away from a table.

    Hudi 1.2.0 writes them whatever `hoodie.metadata.index.partition.stats.enable` says, and its SQL drops an index only
    where a lock provider is named. The next write by it would bring them back.
    """
    jvm = _jvm(spark)
    hudi = jvm.org.apache.hudi
    names = jvm.java.util.ArrayList()
    names.add(PARTITION_STATISTICS)
    config = hudi.config.HoodieWriteConfig.newBuilder().withPath(target).forTable(table).build()
    engine = hudi.client.common.HoodieSparkEngineContext(spark.sparkContext._jsc)
    client = hudi.client.SparkRDDWriteClient(engine, config)
    try:
        client.dropIndex(names)
    finally:
        client.close()


def _jvm(spark: SparkSession) -> Any:
    return spark.sparkContext._jvm


def _each(collection: Any) -> Iterator[Any]:
    iterator = collection.iterator()
    while iterator.hasNext():
        yield iterator.next()

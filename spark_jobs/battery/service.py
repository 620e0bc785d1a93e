"""Runs a table service of Hudi by itself: through Hudi's own write client, as its command line does."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

from lab.stack.mount import Place
from spark_jobs.battery.hudi import options
from spark_jobs.battery.table import BatteryTable, Service
from spark_jobs.battery.timeline import completed

INDEXES = "hoodie.metadata.index.drop"
"""Names of the indexes that `drop_index` drops, separated by commas."""


def run(spark: SparkSession, table: BatteryTable, service: Service, instant: str, place: Place) -> None:
    """Runs it. `instant` is the time of the commit that a rollback, savepoint or restore is about.

    Raises RuntimeError where Hudi finds nothing to do.
    """
    jvm: Any = spark.sparkContext._jvm
    client = open_client(spark, table, service, place.address)
    nothing = jvm.org.apache.hudi.common.util.Option.empty()
    try:
        match service.task:
            case "rollback":
                demand(client.rollback(instant), service)
            case "savepoint":
                client.savepoint(instant, "battery", "a point to go back to")
            case "restore":
                client.restoreToSavepoint(instant)
            case "clean":
                demand(client.clean() is not None, service)
            case "compact":
                planned = client.scheduleCompaction(nothing)
                demand(planned.isPresent(), service)
                done = client.compact(planned.get())
                if planned.get() not in completed(place.folder):  # from 1.1 on it is run, but not committed
                    client.commitCompaction(planned.get(), done, nothing)
            case "cluster":
                planned = client.scheduleClustering(nothing)
                demand(planned.isPresent(), service)
                client.cluster(planned.get())
            case "drop_index":
                client.dropIndex(jvm.java.util.List.of(*service.options[INDEXES].split(",")))
    finally:
        client.close()


def open_client(spark: SparkSession, table: BatteryTable, service: Service, address: str) -> Any:
    """A write client with the options that the table's own writes have."""
    jvm: Any = spark.sparkContext._jvm
    hudi = jvm.org.apache.hudi
    properties = jvm.java.util.Properties()
    for key, value in options(table, service.options).items():
        properties.setProperty(key, value)
    configuration = spark.sparkContext._jsc.hadoopConfiguration()
    meta = (
        hudi.common.table.HoodieTableMetaClient.builder()
        .setConf(hudi.hadoop.fs.HadoopFSUtils.getStorageConf(configuration))
        .setBasePath(address)
        .build()
    )
    schema = schema_of(hudi.common.table.TableSchemaResolver(meta))
    builder = hudi.config.HoodieWriteConfig.newBuilder()
    config = builder.withPath(address).withProperties(properties).withSchema(schema).build()
    return hudi.client.SparkRDDWriteClient(hudi.client.common.HoodieSparkEngineContext(spark.sparkContext._jsc), config)


def schema_of(resolver: Any) -> str:
    """Avro's JSON, by the name that this release of Hudi has for it."""
    known = "getTableSchema" if "getTableSchema" in dir(resolver) else "getTableAvroSchema"
    return str(getattr(resolver, known)(False).toString())


def demand(happened: bool, service: Service) -> None:
    if not happened:
        raise RuntimeError(f"Hudi found nothing to do for {service.task}")

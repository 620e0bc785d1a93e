"""The history of one table, written step by step by plain Spark: what `write.py` of every finding stands on.

Needs Java 17 and `pip install pyspark==3.5.*`. HUDI names another release of Hudi than the script's; SPARK_JARS names
files, separated by colons, in place of downloads: a Hudi bundle that you built, say.
"""

import os
import shutil
from collections.abc import Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from pyspark.sql import DataFrame, SparkSession
from synced import TABLES, UNKNOWN, Synced, could_not_run  # type: ignore[import-not-found]

HUDI = "0.15.0"
"""The newest release of Hudi that writes what XTable up to 0.4 reads, table version 6."""
HUDI_BUNDLE, DELTA = "org.apache.hudi:hudi-spark3.5-bundle_2.12", "io.delta:delta-spark_2.12:3.2.1"

OPTIONS = {
    "hoodie.datasource.write.table.type": "COPY_ON_WRITE",
    "hoodie.datasource.write.recordkey.field": "record_key",
    "hoodie.datasource.write.hive_style_partitioning": "true",
    "hoodie.parquet.outputtimestamptype": "TIMESTAMP_MICROS",
    "hoodie.parquet.compression.codec": "uncompressed",
    # Column statistics come from the Parquet footers unless a table's own options enable Hudi's index.
    "hoodie.metadata.enable": "false",
    # A data file for each list of rows: nothing is sorted, merged, or put into a file that is already there.
    "hoodie.bulkinsert.sort.mode": "NONE",
    "hoodie.parquet.small.file.limit": "0",
    "hoodie.combine.before.upsert": "false",
    "hoodie.datasource.write.payload.class": "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload",
    # Tens of rows: one task, no server, and no table service that the history does not name.
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
"""Hudi's options of every table; a table's own come on top."""

SESSION = {
    "spark.sql.shuffle.partitions": "1",
    "spark.default.parallelism": "1",
    "spark.sql.files.openCostInBytes": "134217728",
    "spark.sql.files.maxPartitionBytes": "134217728",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInWrite": "CORRECTED",
    "spark.sql.avro.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.avro.datetimeRebaseModeInWrite": "CORRECTED",
    "spark.sql.parquet.enableVectorizedReader": "false",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
DELTA_SESSION = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.databricks.delta.optimize.maxThreads": "1",
}
LOCAL = {
    "spark.ui.enabled": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.showConsoleProgress": "false",
    # Hudi sizes its maps by a library that starts two more JVMs to look at this one: seconds, for an estimate.
    # For little work Java's optimising compiler and parallel collector cost more than they give.
    "spark.driver.extraJavaOptions": "-Duser.timezone=UTC -Djol.skipHotspotSAAttach=true "
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.adaptive.enabled": "false",
    "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
}
TIMELINE = (".hoodie", ".hoodie/timeline")
"""Where Hudi keeps it up to table version 6, and from 8 on: `<instant>.<action>`, `<instant>_<completed>.<action>`."""
DONE = ("commit", "deltacommit", "replacecommit", "clean", "rollback", "restore", "savepoint")


class Table(Synced):  # type: ignore[misc]
    """The table of this name, empty at first. `spec` is XTable's `partitionSpec`, `options` are the writer's."""

    def __init__(
        self,
        name: str,
        *,
        format: str = "HUDI",
        partition_by: Sequence[str] = (),
        spec: str = "",
        options: Mapping[str, str] | None = None,
        hudi: str = HUDI,
    ) -> None:
        super().__init__(name, format, spec)
        self.partition_by = list(partition_by)
        self.hudi = os.environ.get("HUDI") or hudi
        self.elsewhere = TABLES / "elsewhere" / name
        keys = ("Nonpartitioned", "Simple")[len(partition_by)] if len(partition_by) < 2 else "Complex"
        named = {
            "hoodie.table.name": name,
            "hoodie.datasource.write.partitionpath.field": ",".join(partition_by),
            "hoodie.datasource.write.keygenerator.class": f"org.apache.hudi.keygen.{keys}KeyGenerator",
        }
        self.options = (OPTIONS | named if format == "HUDI" else {}) | dict(options or {})
        self.spark = session(format, f"{HUDI_BUNDLE}:{self.hudi}" if format == "HUDI" else DELTA)
        self._seen: list[Path] = []
        shutil.rmtree(self.elsewhere, ignore_errors=True)

    def write(
        self, operation: str, schema: str, files: Sequence[Sequence[str]], options: Mapping[str, str] | None = None
    ) -> str:
        """One commit, and its time on Hudi's timeline. Each list of rows is a Spark task, and so a data file."""
        before = self._completed()
        names = ", ".join(
            # IF makes the column nullable: literals are not.
            f"IF(false, NULL, CAST(col{n} AS {field.dataType.simpleString()})) AS {quoted(field.name)}"
            for n, field in enumerate(self._fields(schema), start=1)
        )
        frames = [self.spark.sql(f"SELECT {names} FROM VALUES {', '.join(rows)}").coalesce(1) for rows in files if rows]
        rows = reduce(DataFrame.union, frames or [self.spark.createDataFrame([], schema)])
        how = self.options | dict(options or {})
        if self.format == "DELTA":
            writer = rows.write.format("delta").options(**how).mode(operation)
            (writer.partitionBy(*self.partition_by) if self.partition_by else writer).save(self.address)
        else:
            how |= {"hoodie.datasource.write.operation": operation}
            mode = "append" if self.folder.exists() else "overwrite"
            rows.write.format("hudi").options(**how).mode(mode).save(self.address)
        return self._newest_since(before)

    def _fields(self, schema: str) -> Sequence[Any]:
        return self.spark.createDataFrame([], schema).schema.fields

    def statement(self, sql: str) -> None:
        """A statement of Delta's SQL, in which `{table}` is the table, and `{elsewhere}` the address of another one."""
        self.spark.sql(sql.format(table=f"delta.`{self.address}`", elsewhere=self.elsewhere.as_uri())).collect()

    def service(self, task: str, of: str = "", options: Mapping[str, str] | None = None) -> str:
        """A table service by Hudi's own write client, as its command line runs it. `of`: the commit it is about."""
        before = self._completed()
        client = self._client(self.options | dict(options or {}))
        nothing = self._java.org.apache.hudi.common.util.Option.empty()
        match task:
            case "rollback":
                client.rollback(of)
            case "savepoint":
                client.savepoint(of, "reproduce", "a point to go back to")
            case "restore":
                client.restoreToSavepoint(of)
            case "clean":
                client.clean()
            case "compact":
                planned = client.scheduleCompaction(nothing).get()
                done = client.compact(planned)
                if planned not in self._completed():  # from Hudi 1.1 on it is run, but not committed
                    client.commitCompaction(planned, done, nothing)
            case "cluster":
                client.cluster(client.scheduleClustering(nothing).get())
            case _:
                could_not_run(f"Hudi has no table service {task}")
        client.close()
        return self._newest_since(before)

    @property
    def _java(self) -> Any:
        return self.spark.sparkContext._jvm

    def _client(self, options: Mapping[str, str]) -> Any:
        hudi, context = self._java.org.apache.hudi, self.spark.sparkContext._jsc
        properties = self._java.java.util.Properties()
        for name, value in options.items():
            properties.setProperty(name, value)
        storage = hudi.hadoop.fs.HadoopFSUtils.getStorageConf(context.hadoopConfiguration())
        meta = hudi.common.table.HoodieTableMetaClient.builder().setConf(storage).setBasePath(self.address).build()
        resolver = hudi.common.table.TableSchemaResolver(meta)
        known = "getTableSchema" if "getTableSchema" in dir(resolver) else "getTableAvroSchema"
        schema = getattr(resolver, known)(False).toString()
        config = hudi.config.HoodieWriteConfig.newBuilder().withPath(self.address).withProperties(properties)
        engine = hudi.client.common.HoodieSparkEngineContext(context)
        return hudi.client.SparkRDDWriteClient(engine, config.withSchema(schema).build())

    def share_second(self) -> None:
        """Delta's commits since the last sync get the time of the last that it saw, as a store whose times are whole
        seconds gives to commits of one second."""
        last = self._seen[-1].stat()
        for commit in self._log():
            if commit not in self._seen:
                os.utime(commit, ns=(last.st_atime_ns, last.st_mtime_ns))

    def _log(self) -> list[Path]:
        return sorted((self.folder / "_delta_log").glob("*.json"))

    def of_commits(self, names: Sequence[str]) -> list[Path]:
        return [path for path in self._done() if instant_of(path) in names]

    def shown(self) -> dict[str, Any]:
        """By Spark; of MERGE_ON_READ the read-optimized view, which XTable documents to translate, and in
        `snapshot_rows` how many rows the snapshot view has, which merges the log files.
        """
        self._seen = self._log()
        try:
            source = self._source()
            merged = {"snapshot_rows": self._source("snapshot").count()} if self.merges_on_read else {}
            return {"rows": source.count(), "files": data_files(source)} | merged
        except Exception:  # noqa: BLE001 - some tables are not readable by their own engine: nothing to compare then
            return {**UNKNOWN}

    def _source(self, view: str = "read_optimized") -> DataFrame:
        how = {"hoodie.datasource.query.type": view} if self.merges_on_read else {}
        return self.spark.read.format(self.format.lower()).options(**how).load(self.address)

    @property
    def merges_on_read(self) -> bool:
        return self.options.get("hoodie.datasource.write.table.type") == "MERGE_ON_READ"

    def described(self) -> dict[str, Any]:
        try:
            source = self._source()
            return {
                "rows": source.count(),
                "files": data_files(source),
                "nulls": nulls(source, self.partition_by),
                "columns": source.columns,
            }
        except Exception as error:  # noqa: BLE001 - as in `shown`: said, and not compared
            return {**UNKNOWN, "nulls": {}, "unreadable": str(error).splitlines()[0]}

    def close(self) -> None:
        super().close()
        self.spark.stop()

    def _done(self) -> list[Path]:
        """The instants on the table's timeline that have completed."""
        files = (path for place in TIMELINE for path in (self.folder / place).glob("*.*"))
        return [path for path in files if path.name.partition(".")[2] in DONE]

    def _completed(self) -> set[str]:
        return {instant_of(path) for path in self._done()}

    def _newest_since(self, before: set[str]) -> str:
        return max(self._completed() - before, default="")


def session(format: str, package: str) -> SparkSession:
    settings = LOCAL | SESSION | (DELTA_SESSION if format == "DELTA" else {})
    if format == "HUDI":
        settings["spark.kryo.registrator"] = "org.apache.spark.HoodieSparkKryoRegistrar"
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    if jars := os.environ.get("SPARK_JARS"):
        os.environ["SPARK_DIST_CLASSPATH"] = jars
    else:
        settings["spark.jars.packages"] = package
    builder = SparkSession.builder.master("local[2]").appName("reproduce")
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def data_files(rows: DataFrame) -> list[str]:
    """Their places on the disk. Spark names them by URI, in which special characters are encoded."""
    return sorted({unquote(urlsplit(uri).path) for uri in rows.inputFiles()})


def instant_of(path: Path) -> str:
    return path.name.partition(".")[0].partition("_")[0]


def nulls(rows: DataFrame, partition_by: Sequence[str]) -> dict[str, int]:
    """Nulls of each column that is neither Hudi's own nor read from the paths of partitions."""
    of_paths = {part for name in partition_by for part in (name, name.rpartition(".")[2])}
    names = [name for name in rows.columns if not name.startswith("_hoodie_") and name not in of_paths]
    counted = rows.selectExpr(*(f"count(*) - count({quoted(name)})" for name in names)).first()
    return dict(zip(names, counted or (), strict=True))


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"

"""Iceberg and Delta on Spark: a table is read by its metadata.json alone, or at the version that its commit names."""

from __future__ import annotations

from typing import Any, ClassVar

from lab.engines.spark.open import SparkHome
from lab.engines.spark.session import count, each, files_of, in_words, java, open_session
from xtable_audit.access.s3 import S3
from xtable_audit.model.delta_version import DeltaVersion, delta_version
from xtable_audit.model.predicate import Predicate
from xtable_audit.readers.reader import Answer

# The catalog behind `format("iceberg").load(path)`. A Hadoop catalog starts no service, and loads by path bypass it.
_CATALOG = "spark.sql.catalog.default_iceberg"
SETTINGS = {
    _CATALOG: "org.apache.iceberg.spark.SparkCatalog",
    f"{_CATALOG}.type": "hadoop",
    f"{_CATALOG}.warehouse": "file:///",
    f"{_CATALOG}.cache-enabled": "false",
    "spark.sql.iceberg.aggregate-push-down.enabled": "false",
    "spark.sql.iceberg.data-planning-mode": "local",
    "spark.sql.iceberg.delete-planning-mode": "local",
    "spark.sql.iceberg.executor-cache.enabled": "false",
}


class SparkReader:
    name: ClassVar[str] = "spark"

    def __init__(self, store: S3, handle: SparkHome | None = None) -> None:
        self._spark = open_session(self.name, store, handle, SETTINGS)

    @property
    def version(self) -> str:
        """Spark's version. `lab/stack/versions.toml` has that of its Iceberg."""
        return str(self._spark.version)

    def query(self, metadata_location: str, predicate: Predicate | None) -> Answer:
        """As `Reader.query`. `planned` has the files of the executed scan's input partitions, after all pruning.

        `scanned` is that scan's metric `numOutputRows`.
        """
        with in_words(self._spark):
            counted = count(self._spark.read.format("iceberg").load(metadata_location), predicate)
            return counted.answer("BatchScanExec", self._listed(counted.execution), _files)

    def _listed(self, execution: Any) -> int:
        """The number of live data files, by an Iceberg scan without a filter."""
        (relation,) = each(execution.analyzed().collectLeaves())
        tasks = relation.table().table().newScan().planFiles()
        try:
            return int(self._collections.size(tasks))
        finally:
            tasks.close()

    @property
    def _collections(self) -> Any:
        return java(self._spark).org.apache.iceberg.relocated.com.google.common.collect.Iterables


def _files(scan: Any) -> frozenset[str]:
    partitions = each(scan.inputPartitions())
    return frozenset(str(task.file().location()) for part in partitions for task in each(part.taskGroup().tasks()))


DELTA_SETTINGS = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.databricks.delta.snapshotPartitions": "1",  # of 50: logs here have a few actions
}
SCAN = "FileSourceScanExec"


class SparkDeltaReader:
    name: ClassVar[str] = "spark_delta"

    def __init__(self, store: S3, handle: SparkHome | None = None) -> None:
        self._spark = open_session(self.name, store, handle, DELTA_SETTINGS)
        self._read: DeltaVersion | None = None
        self._live: int | None = None

    @property
    def version(self) -> str:
        """Spark's version. `lab/stack/versions.toml` has that of its Delta."""
        return str(self._spark.version)

    def query(self, metadata_location: str, predicate: Predicate | None) -> Answer:
        """As `Reader.query`. `planned` has the files of the executed scan, after all skipping."""
        asked = delta_version(metadata_location)
        with in_words(self._spark):
            if asked != self._read:  # Delta would remember a table's log: nothing is known of it before it is asked for
                java(self._spark).org.apache.spark.sql.delta.DeltaLog.clearCache()
                self._live = None
            table = self._spark.read.format("delta").option("versionAsOf", asked.version).load(asked.root)
            self._read = asked
            counted = count(table, predicate)
            if self._live is None:  # a query of its own over the log, as long as the one that was asked
                self._live = listed(counted.execution)
            return counted.answer(SCAN, self._live, files_of)


def listed(execution: Any) -> int:
    """The number of files that the scan of a query without a filter lists."""
    (relation,) = each(execution.analyzed().collectLeaves())
    return len(relation.relation().location().inputFiles())

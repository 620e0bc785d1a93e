"""Delta on Spark, with the table read at the version that its commit names."""

from __future__ import annotations

from typing import Any, ClassVar

from lab.engines.spark.home import SparkHome
from lab.engines.spark.plan import count, each, files_of
from lab.engines.spark.session import in_words, java, open_session
from xtable_audit.access.s3 import S3
from xtable_audit.model.delta_version import DeltaVersion, delta_version
from xtable_audit.model.predicate import Predicate
from xtable_audit.readers.reader import Answer

SETTINGS = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.databricks.delta.snapshotPartitions": "1",  # of 50: logs here have a few actions
}
SCAN = "FileSourceScanExec"


class SparkDeltaReader:
    name: ClassVar[str] = "spark_delta"

    def __init__(self, store: S3, handle: SparkHome | None = None) -> None:
        self._spark = open_session(self.name, store, handle, SETTINGS)
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
                self._live = _listed(counted.execution)
            return counted.answer(SCAN, self._live, files_of)


def _listed(execution: Any) -> int:
    (relation,) = each(execution.analyzed().collectLeaves())
    return len(relation.relation().location().inputFiles())

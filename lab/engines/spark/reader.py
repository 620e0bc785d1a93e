"""Iceberg, Delta and Hudi on Spark: a table by its metadata.json, by a commit's version, or by Hudi over its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, ClassVar

from lab.engines.readers import NO_SKIPPING, SKIPPING
from lab.engines.spark.open import SparkHome
from lab.engines.spark.session import Counted, count, each, files_of, in_words, java, open_session, values_of
from xtable_audit.access.s3 import S3
from xtable_audit.model.aggregate import Aggregate
from xtable_audit.model.delta_version import DeltaVersion, delta_version
from xtable_audit.model.hudi_instant import hudi_instant
from xtable_audit.model.predicate import Predicate
from xtable_audit.model.problem import Problem
from xtable_audit.readers.reader import Answer, Layers, NotOffered

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

    def aggregate(self, metadata_location: str, asked: Sequence[Aggregate], shortcut: bool = True) -> Sequence[Any]:
        """As `AggregatingReader.aggregate`. Iceberg's read option of this name turns its shortcut off, and nothing that
        it skips files by their bounds.
        """
        if not shortcut and asked[0].form != "aggregate":
            raise NotOffered
        options = {"aggregate-push-down-enabled": str(shortcut).lower()}
        with in_words(self._spark):
            return values_of(self._spark.read.format("iceberg").options(**options).load(metadata_location), asked)

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
SHORTCUTS = tuple(
    f"spark.databricks.delta.{name}"
    for name in ("optimizeMetadataQuery.enabled", "stats.skipping", "stats.limitPushdown.enabled")
)
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

    def aggregate(self, metadata_location: str, asked: Sequence[Aggregate], shortcut: bool = True) -> Sequence[Any]:
        """As `AggregatingReader.aggregate`. Delta's settings of these names turn its shortcuts off."""
        delta = delta_version(metadata_location)
        for setting in SHORTCUTS:
            self._spark.conf.set(setting, str(shortcut).lower())
        try:
            with in_words(self._spark):
                table = self._spark.read.format("delta").option("versionAsOf", delta.version).load(delta.root)
                return values_of(table, asked)
        finally:
            for setting in SHORTCUTS:
                self._spark.conf.unset(setting)


def listed(execution: Any) -> int:
    """The number of files that the scan of a query without a filter lists."""
    (relation,) = each(execution.analyzed().collectLeaves())
    return len(relation.relation().location().inputFiles())


# Hudi on Spark over its own table: the baseline for a translated table.


def layers_of(scan: Any) -> Layers:
    """The layers of `scan`, an executed `FileSourceScanExec` of Hudi 1.x.

    Counts file slices: a log file next to its base file does not count. For COPY_ON_WRITE, slices are base files.

    A predicate on a partition column prunes by path, and Hudi does not use the partition statistics. The first layer
    then counts what the paths leave, and `partitions` is None.
    """
    index, by_value, by_path = scan.relation().location(), scan.dataFilters(), scan.partitionFilters()
    everything = index.prunePartitionsAndGetFileSlices(by_value.take(0), by_path.take(0))
    pruning = index.prunePartitionsAndGetFileSlices(by_value, by_path)
    pruned, left = pruning._1(), list(each(pruning._2()))
    return Layers(
        live=_slices(each(everything._2())),
        after_partition_statistics=_slices(left),
        after_column_statistics=_slices(each(index.filterFileSlices(by_value, by_path, False))),
        partitions=tuple(sorted(map(_path, left))) if pruned and by_path.isEmpty() else None,
    )


def _slices(partitions: Any) -> int:
    return sum(partition._2().size() for partition in partitions)


def _path(partition: Any) -> str:
    return str(partition._1().get().getPath())


@dataclass(frozen=True)
class Mode:
    """How Hudi reads. Both options are always explicit, since their defaults differ between releases."""

    skipping: bool
    metadata: bool
    """Whether it reads its metadata table. Without it there is no index to skip by, and 0.15 gives no warning."""

    @property
    def options(self) -> dict[str, str]:
        return {
            "hoodie.enable.data.skipping": str(self.skipping).lower(),
            "hoodie.metadata.enable": str(self.metadata).lower(),
        }


ON = Mode(skipping=True, metadata=True)
OFF = Mode(skipping=False, metadata=True)
UNLISTED = Mode(skipping=False, metadata=False)
MODES: Mapping[str, Mode] = MappingProxyType(
    {"": UNLISTED, SKIPPING: ON, "#on": ON, NO_SKIPPING: OFF, "#unlisted": UNLISTED}
)
"""By the suffix of a location. `#skipping` equals `#on`; no suffix equals `#unlisted`."""

HUDI_SETTINGS = {
    # An index that fails must not look like one that skips nothing. Hudi reads only this option from the session.
    "hoodie.fileIndex.dataSkippingFailureMode": "strict"
}


class HudiReader:
    name: ClassVar[str] = "hudi"
    further: ClassVar[Mapping[str, str]] = {}
    """Options beside those of a mode."""

    def __init__(self, store: S3, handle: SparkHome | None = None) -> None:
        self._spark = open_session(self.name, store, handle, {})
        for key, value in HUDI_SETTINGS.items():
            self._spark.conf.set(key, value)  # Spark would warn of it as a JVM argument, and drop it

    @property
    def version(self) -> str:
        """Hudi's version."""
        hudi = java(self._spark).Class.forName("org.apache.hudi.DefaultSource")
        return str(hudi.getPackage().getImplementationVersion())

    def query(self, location: str, predicate: Predicate | None) -> Answer:
        """As `Reader.query`, but `location` is the table's base path with one of MODES as its suffix.

        `planned` has the files of the executed scan; `live` is the file index's count of base files. Hudi opens one
        more file, of the last commit, to read the schema from its footer. `layers` is set from Hudi 1.0 on, unless
        Spark itself finds that no row can match. Raises Problem for an unknown mode.
        """
        base, mode = parse(location)
        with in_words(self._spark):
            table = self._spark.read.format("hudi").options(**mode.options, **self.further).load(base)
            counted = count(table, predicate)
            layers = self._layers(counted)
            live = layers.live if layers else listed(counted.execution)
            return replace(counted.answer(SCAN, live, files_of), layers=layers)

    def _layers(self, counted: Counted) -> Layers | None:
        scan = counted.scan(SCAN)
        return None if scan is None or self.version.startswith("0.") else layers_of(scan)


class SparkHudiReader(HudiReader):
    """A Hudi table of a translator, by the address of its newest instant, with data skipping.

    It reads as XTable's documentation asks, by the metadata table, and takes partition values from paths, as XTable's
    own tests do.
    """

    name: ClassVar[str] = "spark_hudi"
    further: ClassVar[Mapping[str, str]] = {"hoodie.datasource.read.extract.partition.values.from.path": "true"}
    mode: ClassVar[str] = SKIPPING

    def query(self, location: str, predicate: Predicate | None) -> Answer:
        """As `HudiReader.query`, of the table's newest state."""
        return super().query(hudi_instant(location).root + self.mode, predicate)


class SparkHudiUnskippedReader(SparkHudiReader):
    """The same without data skipping."""

    name: ClassVar[str] = "spark_hudi_unskipped"
    mode: ClassVar[str] = NO_SKIPPING


def parse(location: str) -> tuple[str, Mode]:
    """The base path and the mode of a location. Raises Problem for an unknown mode."""
    base, mark, name = location.partition("#")
    if mark + name not in MODES:
        known = ", ".join(filter(None, MODES))
        raise Problem(f"There is no way {mark}{name} to read a Hudi table: put one of {known} behind {base}.")
    return base, MODES[mark + name]

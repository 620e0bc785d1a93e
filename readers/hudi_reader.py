"""Hudi on Spark over the table it wrote itself: the base line that a translated table is held against."""

from __future__ import annotations

from typing import Any, ClassVar

from audit.predicate import Predicate
from engines.spark_home import SparkHome
from readers.base import Answer
from readers.spark_plan import count, each
from readers.spark_session import in_words, java, open_session
from store.s3 import Store

SKIPPING = "#skipping"
"""Put behind a location, it switches Hudi's data skipping on."""

# An index that fails must not look like one that skips nothing. (Hudi asks the session for this one alone.)
SETTINGS = {"hoodie.fileIndex.dataSkippingFailureMode": "strict"}


class HudiReader:
    name: ClassVar[str] = "hudi"

    def __init__(self, store: Store, handle: SparkHome | None = None) -> None:
        self._spark = open_session(self.name, store, handle, {})
        for key, value in SETTINGS.items():
            self._spark.conf.set(key, value)  # as an argument of the JVM Spark would tell it off, and drop it

    @property
    def version(self) -> str:
        """Hudi's own."""
        hudi = java(self._spark).Class.forName("org.apache.hudi.DefaultSource")
        return str(hudi.getPackage().getImplementationVersion())

    def ask(self, location: str, predicate: Predicate | None) -> Answer:
        """As `Reader.ask`, but `location` is the table's base path, with or without `#skipping` behind it.

        `planned` are the files of the very scan that was run; `listed` is the file index's own count of base files.
        Hudi opens one file more, of the last commit, to learn the schema from its footer.
        """
        base, skipping, _ = location.partition(SKIPPING)
        with in_words(self._spark):
            table = self._spark.read.format("hudi").options(**options(bool(skipping))).load(base)
            counted = count(table, predicate)
            return counted.answer("FileSourceScanExec", _listed(counted.execution), _files)


def options(skipping: bool) -> dict[str, str]:
    """Both by name, as the releases of Hudi differ in what they take for granted.

    Without the metadata table there is no index to skip by: Hudi 0.15 then skips nothing, and does not say so.
    """
    said = str(skipping).lower()
    return {"hoodie.enable.data.skipping": said, "hoodie.metadata.enable": said}


def _listed(execution: Any) -> int:
    (relation,) = each(execution.analyzed().collectLeaves())
    return len(relation.relation().location().inputFiles())


def _files(scan: Any) -> frozenset[str]:
    partitions = (part for rdd in each(scan.inputRDDs()) for part in rdd.partitions())
    return frozenset(str(file.filePath().toPath().toString()) for part in partitions for file in part.files())

"""Spark as its readers have it: what it is started with, found once for all of their tests, and asked in SQL."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pyspark.sql import SparkSession

from lab.engines.readers import find
from lab.engines.registry import Order
from lab.engines.spark.open import SparkHome, open_engine
from lab.engines.spark.reader import SparkDeltaReader, SparkReader
from lab.stack.cache import Cache
from lab.store.running import RunningStore
from xtable_audit.access.s3 import S3
from xtable_audit.model.predicate import Predicate
from xtable_audit.readers.reader import Answer
from xtable_audit.readers.subprocess_reader import SubprocessReader

SQL, OF = "SQL ", " OF "


def no_store() -> RunningStore:
    raise AssertionError("Spark needs no store to be found")


@cache
def spark_home() -> SparkHome:
    """Jars and Java, as the engine hands them over."""
    handle = open_engine(Order("auto", no_store, Path(), Cache(), print)).handle
    assert isinstance(handle, SparkHome)
    return handle


def jvm_of(reader: SubprocessReader) -> int:
    """The process of the reader's JVM."""
    children = Path(f"/proc/{reader.pid}/task/{reader.pid}/children").read_text().split()
    (jvm,) = [int(child) for child in children if b"java" in Path(f"/proc/{child}/cmdline").read_bytes()]
    return jvm


class Iceberg(SparkReader):
    """The reader; but what comes as the location of a table and begins with SQL is run as it is."""

    def query(self, metadata_location: str, predicate: Predicate | None) -> Answer:
        asked = _rows(self._spark, metadata_location)
        return super().query(metadata_location, predicate) if asked is None else asked


class Delta(SparkDeltaReader):
    """The same over Delta tables."""

    def query(self, metadata_location: str, predicate: Predicate | None) -> Answer:
        asked = _rows(self._spark, metadata_location)
        return super().query(metadata_location, predicate) if asked is None else asked


OVER: dict[str, tuple[type, type]] = {"spark": (SparkReader, Iceberg), "spark_delta": (SparkDeltaReader, Delta)}


def opened(name: str, store: S3, home: SparkHome) -> SubprocessReader:
    """The reader of that id, in its own process."""
    registered, reader = OVER[name]
    assert find(name).factory == f"{registered.__module__}:{registered.__name__}"
    return SubprocessReader(name, f"{__name__}:{reader.__name__}", store, home)


def answered(spark: SubprocessReader, sql: str, view: str = "") -> str:
    """The rows, a line each. `view` is where an Iceberg table is that is called `t`."""
    return str(spark.query(SQL + sql + (OF + view if view else ""), None).unknown_plan)


def _rows(spark: SparkSession, asked: str) -> Answer | None:
    if not asked.startswith(SQL):
        return None
    sql, _, view = asked.removeprefix(SQL).partition(OF)
    if view:
        spark.read.format("iceberg").load(view).createOrReplaceTempView("t")
    rows = spark.sql(sql).collect()
    return Answer(len(rows), unknown_plan="\n".join(" ".join(map(str, row)) for row in rows))

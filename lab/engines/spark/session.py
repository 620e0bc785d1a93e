"""The Spark session in a reader's own process, one query on it with what its plan reports, and failures in words."""

from __future__ import annotations

import re
import signal
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from subprocess import TimeoutExpired
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.sql import DataFrame, SparkSession

from lab.engines.spark.open import SparkHome
from lab.stack import spark as stack_spark
from xtable_audit.access.s3 import S3
from xtable_audit.model.aggregate import Aggregate
from xtable_audit.model.predicate import Predicate
from xtable_audit.model.problem import Problem
from xtable_audit.readers.aggregates_in_sql import in_sql
from xtable_audit.readers.reader import Answer, Refusal, column_to_read
from xtable_audit.readers.sql_dialects import SPARK, Dialect

CORES = 2
MEMORY = "1g"
SETTINGS = {
    "spark.sql.variable.substitute": "false",  # Spark must not replace `${…}` in a string
    "spark.sql.caseSensitive": "true",  # a predicate names its column exactly
    "spark.sql.shuffle.partitions": "1",
}
# Hundreds of queries on small tables. Over Hudi: 0.6 s of processor time each over 36 files instead of 1.5 s (measured;
# Spark without code generation is no faster). Over Delta: 19 s for the first instead of 40 s, then half as much.
FLAGS = (stack_spark.FEWER_OPTIMISATIONS,)
LAST_BREATH = 5.0
"""Seconds to wait for a JVM to end after it closed its connection; after that it counts as alive."""

# Exceptions that only wrap another one.
_WRAPPERS = frozenset({"SparkException", "ExecutionException", "UncheckedExecutionException"})
_PACKAGE = re.compile(r"^(?:[a-z]\w*\.)+(?=[A-Z])")


def open_session(name: str, store: S3, home: SparkHome | None, settings: Mapping[str, str]) -> SparkSession:
    """This process's session on `store`, with `settings` added to those of all readers.

    Raises Problem if `home` is missing.
    """
    if home is None:
        raise Problem(f"reader {name} needs Spark's jars and Java: open the engine spark and hand over what it gives")
    scratch = tempfile.mkdtemp(prefix="xtable-audit-spark-")
    ours = stack_spark.settings(MEMORY, scratch, FLAGS) | SETTINGS | dict(settings)
    spark = stack_spark.start(name, home.jars, home.java_home, CORES, ours)
    # Readers are killed, so the JVM, which ends a moment later, deletes the folder.
    clearing = java(spark).org.apache.spark.util.ShutdownHookManager
    clearing.registerShutdownDeleteDir(java(spark).java.io.File(scratch))
    stack_spark.reach(spark, store.hadoop() | (home.mount.hadoop() if home.mount else {}))
    return spark


def java(spark: SparkSession) -> Any:
    """The session's JVM, by package and class name."""
    return spark.sparkContext._jvm


@contextmanager
def in_words(spark: SparkSession) -> Iterator[None]:
    """Turns Spark's exceptions about a table into a one-line Refusal, and the end of its JVM into a Problem."""
    try:
        try:
            yield
        except Py4JJavaError as error:
            raise Refusal(_words(error.java_exception)) from None
    except (Py4JError, OSError) as error:  # the type depends on the call during which the JVM ended
        ended = _ended(spark)
        if ended is None:
            raise
        raise Problem(f"Spark's JVM ended ({ended}) and its reader with it: start the run again") from error


def _words(throwable: Any) -> str:
    """The message of the outermost exception that is not a wrapper, without its package; first line."""
    while throwable.getClass().getSimpleName() in _WRAPPERS and throwable.getCause() is not None:
        throwable = throwable.getCause()
    return _PACKAGE.sub("", str(throwable.toString()).strip()).splitlines()[0]


def _ended(spark: SparkSession) -> str | None:
    """How the JVM ended; None if it is alive."""
    gateway: Any = spark.sparkContext._gateway
    try:
        code = gateway.proc.wait(LAST_BREATH)
    except TimeoutExpired:
        return None
    return signal.strsignal(-code) if code < 0 else f"exit code {code}"


@dataclass(frozen=True)
class Counted:
    """The matching rows, and Spark's executed plan."""

    rows: int
    execution: Any
    """Spark's `QueryExecution`."""

    def scan(self, kind: str) -> Any | None:
        """The plan's only scan, a Java object of class `kind`; None if the plan's leaves are anything else."""
        leaves = list(each(self.execution.executedPlan().collectLeaves()))
        return leaves[0] if [leaf.getClass().getSimpleName() for leaf in leaves] == [kind] else None

    def answer(self, scan: str, live: int, files: Callable[[Any], frozenset[str]]) -> Answer:
        """The rows, and the `files` and rows that the plan's only scan read, a Java object of class `scan`.

        If Spark sees that no row can match (IS NULL on a required column), it plans no scan and so no file.
        """
        leaves = list(each(self.execution.executedPlan().collectLeaves()))
        kinds = [leaf.getClass().getSimpleName() for leaf in leaves]
        if kinds == ["LocalTableScanExec"]:
            return Answer(self.rows, frozenset(), live, scanned=0)
        if kinds != [scan]:
            unknown_plan = f"Spark's plan reads from {' and '.join(kinds)}, not from one {scan}"
            return Answer(self.rows, live=live, unknown_plan=unknown_plan)
        rows_read = int(leaves[0].metrics().apply("numOutputRows").value())
        return Answer(self.rows, files(leaves[0]), live, scanned=rows_read)


def count(table: DataFrame, predicate: Predicate | None) -> Counted:
    """Counts the matching rows. Also hashes one column, so that Spark reads values that no metadata has."""
    columns = {field.name: field.dataType.simpleString() for field in table.schema}
    column = SPARK.column(column_to_read(columns, predicate))
    matching = table if predicate is None else table.where(dialect_over(columns).render(predicate))
    asked = matching.selectExpr("count(*)", f"bit_xor(xxhash64({column}))")
    rows = asked._jdf.collectAsList().get(0).getLong(0)
    return Counted(int(rows), asked._jdf.queryExecution())


def values_of(table: DataFrame, asked: Sequence[Aggregate]) -> Sequence[Any]:
    """What Spark's SQL answers to one query. It takes a view, since Delta's shortcut knows queries of a table alone."""
    table.createOrReplaceTempView("asked")
    columns = [field.name for field in table.schema]
    return tuple(table.sparkSession.sql(in_sql(asked, "asked", dialect_over(columns))).collect()[0])


def dialect_over(columns: Collection[str]) -> Dialect:
    """SPARK for a table with these columns. A dotted name that is not one of them is the path of a nested column."""

    def column(name: str) -> str:
        parts = [name] if name in columns else name.split(".")
        return ".".join(SPARK.column(part) for part in parts)

    return replace(SPARK, column=column)


def each(collection: Any) -> Iterator[Any]:
    """The elements of a Java or Scala collection."""
    iterator = collection.iterator()
    while iterator.hasNext():
        yield iterator.next()


def files_of(scan: Any) -> frozenset[str]:
    """The addresses of the files that a `FileSourceScanExec` reads."""
    partitions = (part for rdd in each(scan.inputRDDs()) for part in rdd.partitions())
    return frozenset(str(file.filePath().toPath().toString()) for part in partitions for file in part.files())

"""One query on Spark, and what its executed plan reports."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import DataFrame

from xtable_audit.model.predicate import Predicate
from xtable_audit.readers.column_to_read import column_to_read
from xtable_audit.readers.reader import Answer
from xtable_audit.readers.sql import SPARK, Dialect


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

"""A scanner on a Spark cluster: executors run the local scanner over packs of files.

Results come back as Arrow's own bytes, so that they are those of the local scanner to the bit. A lost executor or a
failed task is Spark's to repeat; what a driver has received is kept by its caller (`xtable_audit.check.kept`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Protocol

import pyarrow as pa

from xtable_audit.model.objects import Objects
from xtable_audit.model.predicate import Predicate
from xtable_audit.model.printable import shortened
from xtable_audit.model.problem import Unreachable
from xtable_audit.model.wanted import DataFiles, Wanted, WantedColumn
from xtable_audit.scan.local import LocalScanner
from xtable_audit.scan.scanner import Power, Scanner
from xtable_audit.spark.packs import Packing, from_bytes, to_bytes
from xtable_audit.values.kernel import kernel
from xtable_audit.values.matching_rows import merge_counted
from xtable_audit.values.measured_rows import merge

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

AT_ONCE = 32
"""Files that one task reads at once: it waits for the store most of the time (docs/measured.md, A slow store)."""
RESULT = "place int, rows binary"
ROUNDS = 8
"""Tasks for each core in one job: enough that few cores wait for its last, and few that a driver's end loses little."""


class ExecutorReach(Protocol):
    """How an executor reaches the table's files, by credentials of its own."""

    def objects(self) -> Objects: ...


Work = Callable[[Scanner, DataFiles], pa.Table]


@dataclass(frozen=True)
class SparkScanner:
    """`sizes` has the size in bytes of each file, by its path, as the metadata has it."""

    spark: SparkSession
    reach: ExecutorReach
    sizes: Mapping[str, int]
    packing: Packing = field(default_factory=Packing)

    @property
    def power(self) -> Power:
        """Of the cores that the cluster has now: it may grow."""
        cores = int(self.spark.sparkContext.defaultParallelism)
        return Power(cores, AT_ONCE * cores, cores)

    def batches(self, files: DataFiles) -> Iterator[DataFiles]:
        return (files.slice(packs[0].start, packs[-1].stop - packs[0].start) for packs in self._jobs(files, self.sizes))

    def look_up(self, files: DataFiles) -> pa.Table:
        return pa.concat_tables(self._parts(DataFiles(files.table.select(["path"])), _look_up, {}))

    def measure(self, files: DataFiles, wanted: Wanted) -> pa.Table:
        return merge(self._parts(files, partial(_measure, wanted=wanted), self.sizes))

    def count(self, files: DataFiles, columns: Sequence[WantedColumn], predicates: Sequence[Predicate]) -> pa.Table:
        counted = self._parts(files, partial(_count, columns=columns, predicates=predicates), self.sizes)
        return merge_counted(counted)

    def _jobs(self, files: DataFiles, sizes: Mapping[str, int]) -> Iterator[list[range]]:
        """The packs of each job."""
        packs = self.packing.packs([sizes.get(path) or 0 for path in files.table["path"].to_pylist()])
        while some := list(islice(packs, ROUNDS * self.power.cores)):
            yield some

    def _parts(self, files: DataFiles, work: Work, sizes: Mapping[str, int]) -> list[pa.Table]:
        """The results of the packs, in the order of the files; that of no file for no files."""
        if not len(files):
            return [work(LocalScanner(self.reach.objects()), files)]
        return [part for packs in self._jobs(files, sizes) for part in self._done(files, packs, work)]

    def _done(self, files: DataFiles, packs: Sequence[range], work: Work) -> Iterator[pa.Table]:
        """The results of one job."""
        sent = [(pack.start, to_bytes(files.slice(pack.start, len(pack)).table)) for pack in packs]
        rows = self.spark.sparkContext.parallelize(sent, len(sent)).toDF("place int, files binary")
        done = rows.mapInArrow(Task(self.reach, files.slice(0, 0), work), RESULT)
        found = {row["place"]: row["rows"] for row in _collected(done)}
        return (from_bytes(found[pack.start]) for pack in packs)


@dataclass(frozen=True)
class Task:
    """What an executor does with packs: it crosses the network with the job."""

    reach: ExecutorReach
    others: DataFiles
    """What is not a file's own: deletes by equality, the name mapping."""
    work: Work
    kernel: str = field(default_factory=kernel)

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Raises RuntimeError if the executor would measure by other code than the driver."""
        if kernel() != self.kernel:
            raise RuntimeError("this executor has another xtable_audit or pyarrow than the driver: install the same")
        scanner = LocalScanner(self.reach.objects(), AT_ONCE)
        for batch in batches:
            for place, sent in zip(*(batch.column(name).to_pylist() for name in ("place", "files")), strict=True):
                rows = self.work(scanner, replace(self.others, table=from_bytes(sent)))
                yield pa.record_batch({"place": pa.array([place], pa.int32()), "rows": [to_bytes(rows)]})


def _look_up(scanner: Scanner, files: DataFiles) -> pa.Table:
    return scanner.look_up(files)


def _measure(scanner: Scanner, files: DataFiles, wanted: Wanted) -> pa.Table:
    return scanner.measure(files, wanted)


def _count(
    scanner: Scanner, files: DataFiles, columns: Sequence[WantedColumn], predicates: Sequence[Predicate]
) -> pa.Table:
    return scanner.count(files, columns, predicates)


def _collected(rows: DataFrame) -> list[Row]:
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        return rows.collect()
    except (PySparkException, Py4JError) as error:
        lines = [line for line in str(error).splitlines() if line.strip()]
        message = shortened(f"{lines[0]} … {lines[-1]}", 400)
        raise Unreachable(f"Spark did not read the files: {message}") from error

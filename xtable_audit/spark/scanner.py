"""A scanner on a Spark cluster: executors run the local scanner over packs of files, by the judge's own code."""

from __future__ import annotations

import atexit
import os
import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import resources
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Protocol

import pyarrow as pa

from xtable_audit.model.objects import Objects
from xtable_audit.model.predicate import Predicate
from xtable_audit.model.printable import shortened
from xtable_audit.model.problem import Problem, Unreachable
from xtable_audit.model.wanted import DataFiles, Wanted, WantedColumn
from xtable_audit.scan import LocalScanner, Power, Scanner
from xtable_audit.values.matching_rows import merge_counted
from xtable_audit.values.measured_rows import kernel, merge

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

PACK_BYTES, PACK_FILES = 256 << 20, 500


@dataclass(frozen=True)
class Packing:
    """The maximum of one task, which is the most that is lost with it; a file of more bytes has a task of its own."""

    files: int = PACK_FILES
    bytes: int = PACK_BYTES

    def packs(self, sizes: Sequence[int]) -> Iterator[range]:
        """Places of consecutive files, by the size of each."""
        first, filled = 0, 0
        for place, size in enumerate(sizes):
            if place > first and (place - first == self.files or filled + size > self.bytes):
                yield range(first, place)
                first, filled = place, 0
            filled += size
        if first < len(sizes):
            yield range(first, len(sizes))


def to_bytes(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue().to_pybytes())


def from_bytes(content: bytes) -> pa.Table:
    return pa.ipc.open_stream(content).read_all()


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


PACKAGE = "xtable_audit"


def session(master: str | None) -> SparkSession:
    """The session of this process with the judge's code on its executors. `master` is None for the one that is set,
    by `spark-submit` or a notebook. Raises Problem without PySpark, or if no session starts.
    """
    try:
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise Problem("--scanner spark needs PySpark: install xtable-audit[spark]") from error
    builder = SparkSession.builder.appName("xtable-audit").config("spark.ui.showConsoleProgress", "false")
    if master and master.startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # else the first python3 of the PATH
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        builder = builder.config("spark.ui.enabled", "false")
    try:
        spark = (builder.master(master) if master else builder).getOrCreate()
    except (PySparkException, RuntimeError, OSError) as error:
        raise Problem(f"no Spark session starts: {str(error).splitlines()[0]}") from error
    folder = TemporaryDirectory(prefix="xtable-audit-")
    atexit.register(folder.cleanup)  # executors fetch it when they start
    spark.sparkContext.addPyFile(str(_archive(Path(folder.name))))
    return spark


def _archive(folder: Path) -> Path:
    """This package as a zip, which Python imports as it is."""
    path = folder / f"{PACKAGE}.zip"
    with zipfile.ZipFile(path, "w") as archive, resources.as_file(resources.files(PACKAGE)) as root:
        for file in sorted(root.rglob("*.py")):
            archive.write(file, f"{PACKAGE}/{file.relative_to(root)}")
    return path

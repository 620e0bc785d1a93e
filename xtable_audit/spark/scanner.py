"""A scanner on a Spark cluster: executors run the local scanner over packs of files, by the judge's own code."""

from __future__ import annotations

import atexit
import os
import sys
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pyarrow as pa

from xtable_audit.model.printable import shortened
from xtable_audit.model.problem import Problem, Unreachable
from xtable_audit.model.scan_input import DataFiles
from xtable_audit.packs import OwnReach, Packing, ScannerOfPacks, Work, from_bytes, to_bytes
from xtable_audit.scan import LocalScanner, Power
from xtable_audit.values.measured_rows import kernel

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

AT_ONCE = 32
"""Files that one task reads at once: it waits for the store most of the time (docs/measured.md, A slow store)."""
RESULT = "place int, rows binary"
ROUNDS = 8
"""Tasks for each core in one job: enough that few cores wait for its last, and few that a driver's end loses little."""


@dataclass(frozen=True)
class SparkScanner(ScannerOfPacks):
    spark: SparkSession
    packing: Packing = field(default_factory=Packing)

    @property
    def power(self) -> Power:
        """Of the cores that the cluster has now: it may grow."""
        cores = int(self.spark.sparkContext.defaultParallelism)
        return Power(cores, AT_ONCE * cores, cores)

    @property
    def at_once(self) -> int:
        return ROUNDS * self.power.cores

    @property
    def here(self) -> LocalScanner:
        return LocalScanner(self.reach.objects())

    def packs(self, sizes: Sequence[int]) -> Iterator[range]:
        return self.packing.packs(sizes)

    def done(self, files: DataFiles, packs: Sequence[range], work: Work) -> Iterator[pa.Table]:
        sent = [(pack.start, to_bytes(files.slice(pack.start, len(pack)).table)) for pack in packs]
        rows = self.spark.sparkContext.parallelize(sent, len(sent)).toDF("place int, files binary")
        done = rows.mapInArrow(Task(self.reach, files.slice(0, 0), work), RESULT)
        found = {row["place"]: row["rows"] for row in _collected(done)}
        return (from_bytes(found[pack.start]) for pack in packs)


@dataclass(frozen=True)
class Task:
    """What an executor does with packs: it crosses the network with the job."""

    reach: OwnReach
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

"""`python -m tests.xtable_audit.spark.dying_driver MASTER TABLE`: a check of a table on this disk, file by file.

It is killed when an executor opens the last file but one, in the job after the first.
"""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import dataclass

import pyarrow as pa
from pyarrow import fs

from tools.frozen.run import Unwatched
from xtable_audit.check.kept_values import default_folder
from xtable_audit.check.options import Options
from xtable_audit.check.run import check
from xtable_audit.locate.locate import Reach, locate
from xtable_audit.model.objects import Objects
from xtable_audit.packs import Packing
from xtable_audit.spark.scanner import SparkScanner, session
from xtable_audit.table.stored_metrics import StoredMetrics


@dataclass(frozen=True)
class Deadly(Objects):
    """Who opens the last file kills the driver."""

    driver: int = 0
    last: str = ""

    def open(self, uri: str) -> pa.NativeFile:
        if uri == self.last:
            os.kill(self.driver, signal.SIGKILL)
        return super().open(uri)


@dataclass(frozen=True)
class ReachDeadly:
    driver: int
    last: str

    def objects(self) -> Objects:
        return Deadly(fs.LocalFileSystem(), driver=self.driver, last=self.last)


def main(master: str, table: str) -> None:
    spark = session(master)

    def deadly(reach: Reach, stored: StoredMetrics) -> SparkScanner:
        return SparkScanner(ReachDeadly(os.getpid(), stored.paths[-2]), {}, spark, Packing(files=1))

    check(locate(table), Options(table, kept=default_folder(), cluster=deadly), Unwatched())


if __name__ == "__main__":
    main(*sys.argv[1:])

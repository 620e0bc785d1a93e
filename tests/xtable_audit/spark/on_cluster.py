"""`python -m tests.xtable_audit.spark.on_cluster MASTER FOLDER`: measures slow files on a cluster, and prints how.

It makes FOLDER/begun once an executor has opened a file.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from xtable_audit.model.objects import Objects
from xtable_audit.model.scan_input import DataFiles, Wanted, WantedColumn
from xtable_audit.packs import Packing
from xtable_audit.scan import LocalScanner
from xtable_audit.spark.scanner import SparkScanner, session

FILES, SECONDS = 12, 0.5


@dataclass(frozen=True)
class Slow(Objects):
    """Files that take some time to open."""

    begun: Path = Path()

    def open(self, uri: str) -> pa.NativeFile:
        self.begun.touch()
        time.sleep(SECONDS)
        return super().open(uri)


@dataclass(frozen=True)
class ReachSlow:
    begun: Path

    def objects(self) -> Objects:
        return Slow(fs.LocalFileSystem(), begun=self.begun)


def main(master: str, folder: str) -> None:

    place = Path(folder)
    paths = [str(place / f"{number}.parquet") for number in range(FILES)]
    for number, path in enumerate(paths):
        pq.write_table(pa.table({"a": pa.array([number, number + 1], pa.int64())}), path)
    files, wanted = DataFiles.at(paths), Wanted((WantedColumn(1, "a", pa.int64()),))
    scanner = SparkScanner(ReachSlow(place / "begun"), {}, session(master), Packing(files=1))
    found = scanner.measure(files, wanted)
    print("alike" if found.equals(LocalScanner(Objects(fs.LocalFileSystem())).measure(files, wanted)) else "otherwise")


if __name__ == "__main__":
    main(*sys.argv[1:])

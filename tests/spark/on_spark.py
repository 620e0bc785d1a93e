"""Run by a test: `python -m tests.spark.on_spark MASTER FOLDER [TABLE …]` compares Spark's results with the local ones.

It prints what differs, and how much is alike. A process of its own, since one process has one Spark session.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.spark.recorded_tables import counted, last_syncs, looked_up, measured, mirrored, table
from xtable_audit.scan.scanner import LocalScanner
from xtable_audit.spark.scanner import Packing, SparkScanner, session


def main(master: str, folder: str, *names: str) -> None:
    """Compares the named tables, or all."""
    mirror, cluster = mirrored(Path(folder)), session(master)
    alike = 0
    for name in names or last_syncs():
        stored = table(mirror, name)
        sizes = dict(zip(stored.paths, stored.files["size"].to_pylist(), strict=True))
        small = Packing(files=3)  # so that small tables are of several tasks
        remote, local = SparkScanner(cluster, mirror, sizes, small), LocalScanner(mirror.objects())
        for result in (looked_up, measured, counted):
            if result(remote, mirror, stored).equals(result(local, mirror, stored)):
                alike += 1
            else:
                print(f"{name}: {result.__name__} otherwise")
    print(f"{alike} results are alike")


if __name__ == "__main__":
    main(*sys.argv[1:])

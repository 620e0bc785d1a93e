"""Many real small files: Hudi's published table by Spark, listed by PyIceberg, checked on one machine and by Spark.

At scale 1 it has the published 393,360 files, at 0.025 one of 40.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
from pyiceberg.catalog.sql import SqlCatalog

from lab.stack.jars import resolve_spark_jars
from lab.stack.java import find_java
from lab.stack.versions import hudi_releases, stack_with_hudi
from spark_jobs.launch import SHIPS, run_ships
from spark_jobs.shipping.layout import LEAST_FILES, PUBLISHED_FILES
from tools.benchmarks.timing import run

TABLE = "ship_random"
TIMEOUT = 6 * 3600
SCANNERS = {"one machine": (), "Spark, local[2]": ("--scanner", "spark", "--master", "local[2]")}
"""How the values are read: options of `check`."""


def measure(scale: float) -> Iterator[str]:
    """The shorter of two runs each: the files are in memory then, and what counts is the work."""
    release = hudi_releases()[0].version
    stack, files = stack_with_hudi(release), max(int(PUBLISHED_FILES * scale), LEAST_FILES)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        facts = run_ships(
            folder / "hudi",
            {TABLE: SHIPS[TABLE]},
            hudi=release,
            files=files,
            jars=resolve_spark_jars(stack),
            java_home=find_java(stack.java),
            log=folder / "log",
            timeout=TIMEOUT,
        )
        yield f"{files:,} files written by Hudi {release} in {facts[TABLE]['seconds']['write']:.0f} s"
        location = _listed(folder / "iceberg", folder / "hudi")
        check = ["-m", "xtable_audit", "check", location, "--yes", "--allow-prefix", f"file://{folder}/hudi"]
        check += ["--no-cache", "--out", str(folder / "out")]
        ways = {"metadata alone": ("--metadata-only",)} | SCANNERS
        for words, options in ways.items():
            seconds = min(run([*check, *options])[0] for _ in range(2))
            yield f"{words:<20}{seconds:8.1f} s   {files / seconds:8,.0f} files/s"


def _listed(folder: Path, hudi: Path) -> str:
    """Iceberg metadata over the table's base files; the address of its metadata.json."""
    paths = sorted(str(path) for path in (hudi / TABLE).glob("*/*.parquet"))
    folder.mkdir()
    catalog = SqlCatalog("bench", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}")
    catalog.create_namespace("bench")
    table = catalog.create_table(f"bench.{TABLE}", pq.read_schema(paths[0]).remove_metadata())
    table.add_files([f"file://{path}" for path in paths], check_duplicate_files=False)
    catalog.close()
    return str(table.metadata_location)

"""Source tables in Iceberg's format: one that Spark writes in one commit, as a control, and those that XTable reads.

PyIceberg writes the latter, in this process. It partitions by a day or a bucket with a library of its own, which the
suite does without, and writes no delete files: a table that needs it, or Iceberg in Spark, is written in a process that
has them.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

from lab.provision.data_files import data_files, listed_beside
from lab.provision.newest_metadata import newest_iceberg
from lab.provision.sources.source_format import SourceSetup
from lab.stack.cache import Cache
from lab.stack.jars import resolve_spark_jars
from lab.stack.java import find_java
from lab.stack.packages import installed
from lab.stack.project import ROOT
from lab.stack.versions import stack, transform_packages
from spark_jobs.battery import iceberg_table
from spark_jobs.battery.iceberg_in_spark import is_icebergs
from spark_jobs.battery.table import BatteryTable
from xtable_audit.formats.iceberg.source_statistics import iceberg_statistics
from xtable_audit.model.problem import Problem, last_line
from xtable_audit.model.subject_id import ICEBERG as TARGET


def _live_files(tree: Path) -> list[str]:
    """Every Parquet file under `data/`."""
    return [path for path in data_files(tree) if path.startswith("data/")]


ICEBERG = SourceSetup("Iceberg", _live_files, lambda _: "Iceberg", newest=newest_iceberg, is_translated=False)


def write(table: BatteryTable, folder: Path, address: str) -> dict[str, Any]:
    """Raises Problem if what it needs is missing, or the process fails."""
    in_spark = any(is_icebergs(step.action) for step in table.steps)
    if not table.partition_spec and not in_spark:
        return iceberg_table.write(table, folder, address)
    spark = [find_java(stack().java), *resolve_spark_jars(stack())] if in_spark else []
    library = installed("pyiceberg-core", transform_packages(), Cache())
    done = subprocess.run(
        [sys.executable, "-m", iceberg_table.__name__, str(folder), address, *map(str, spark)],
        input=pickle.dumps(table),
        capture_output=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(library)))},
        cwd=ROOT,
        check=False,
    )
    if done.returncode != 0:
        reason = last_line(done.stderr.decode(errors="replace"))
        raise Problem(f"{table.name} cannot be written by PyIceberg: {reason}")
    facts: dict[str, Any] = json.loads(done.stdout)
    return facts


ICEBERG_SOURCE = SourceSetup(
    "Iceberg",
    partial(listed_beside, name=iceberg_table.FILES),
    lambda _: "Iceberg",
    write_at=write,
    statistics_then=iceberg_statistics,
    whose_statistics="the source's",
    libraries=transform_packages,
    as_target=TARGET,
)

"""The read-optimized view of MERGE_ON_READ tables: the newest base files without their logs.

It is the view that XTable's documentation says it translates, so the rows of such a stage are this view's. How many
rows the snapshot view shows, which merges the logs, is kept beside it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from lab.stack.mount import Mount
from spark_jobs.battery import rows
from spark_jobs.battery.write import FACTS

VIEW = {"hoodie.datasource.query.type": "read_optimized", "hoodie.metadata.enable": "false"}


def keep_read_optimized(spark: SparkSession, facts: dict[str, Any], kept: Path, mount: Mount, scratch: Path) -> None:
    """Writes the rows of each stage of a table that is kept in the folder `kept` anew, and changes its facts."""
    for number, stage in enumerate(facts["stages"], start=1):
        address = mount.show(facts["name"], kept / str(number))
        view = spark.read.format("hudi").options(**VIEW).load(address)
        stage["snapshot_rows"] = stage["rows"]
        stage["rows"] = rows.kept(view, scratch / str(number), kept / f"{number}.rows.parquet")
        (kept / FACTS).write_text(json.dumps(facts, indent=1, ensure_ascii=False), encoding="utf-8")
    mount.place(facts["name"]).folder.unlink(missing_ok=True)

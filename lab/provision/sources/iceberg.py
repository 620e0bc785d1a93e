"""Source tables in Iceberg's format: one that Spark writes in one commit, as a control, and those that XTable reads."""

from __future__ import annotations

import json
from pathlib import Path

from lab.provision.data_files import data_files
from lab.provision.newest import newest_iceberg
from lab.provision.sources.source_format import SourceFormat
from spark_jobs.battery import iceberg_table
from xtable_audit.model.subject_id import ICEBERG as TARGET


def _live_files(tree: Path) -> list[str]:
    """Every Parquet file under `data/`."""
    return [path for path in data_files(tree) if path.startswith("data/")]


ICEBERG = SourceFormat("Iceberg", _live_files, lambda _: "Iceberg", newest=newest_iceberg, is_translated=False)


def _planned(tree: Path) -> list[str]:
    """As PyIceberg planned them when it had written this stage."""
    listed: list[str] = json.loads(tree.with_name(f"{tree.name}.{iceberg_table.FILES}").read_text(encoding="utf-8"))
    return listed


ICEBERG_SOURCE = SourceFormat("Iceberg", _planned, lambda _: "Iceberg", write_at=iceberg_table.write, as_target=TARGET)

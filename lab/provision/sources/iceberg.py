"""Source tables in Iceberg's format, which Spark writes in one commit, as a control."""

from __future__ import annotations

from pathlib import Path

from lab.provision.data_files import data_files
from lab.provision.newest import newest_iceberg
from lab.provision.sources.source_format import SourceFormat


def _live_files(tree: Path) -> list[str]:
    """Every Parquet file under `data/`."""
    return [path for path in data_files(tree) if path.startswith("data/")]


ICEBERG = SourceFormat("Iceberg", _live_files, lambda _: "Iceberg", newest=newest_iceberg, is_translated=False)

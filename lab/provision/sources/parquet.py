"""Source tables that are folders of Parquet files."""

from __future__ import annotations

from pathlib import Path

from lab.provision.sources.source_format import SourceSetup
from spark_jobs.battery import folder


def _live_files(tree: Path) -> list[str]:
    """By Arrow's dataset, which hides what engines hide."""
    return [*folder.live(tree)]


PARQUET = SourceSetup("Parquet", _live_files, lambda _: "Parquet", write=folder.write, is_local=True)

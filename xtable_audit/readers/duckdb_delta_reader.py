"""DuckDB with its `delta` extension, which reads the log by Delta Kernel in Rust."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xtable_audit.model.delta_version import delta_version
from xtable_audit.readers.duckdb_reader import DuckDBReader
from xtable_audit.readers.sql import DUCKDB


class DuckDBDeltaReader(DuckDBReader):
    name: ClassVar[str] = "duckdb_delta"
    extensions: ClassVar[Sequence[str]] = ("httpfs", "delta")

    def scan(self, metadata_location: str) -> str:
        root, version = delta_version(metadata_location)
        return f"delta_scan({DUCKDB.literal(root)}, version = {version})"

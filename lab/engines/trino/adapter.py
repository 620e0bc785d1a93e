"""The reader on Trino, declared without importing its client."""

from __future__ import annotations

from xtable_audit.readers.adapter import Adapter, Capabilities

TRINO = Adapter(
    "lab.engines.trino.reader:TrinoReader",
    "trino",
    "trino",
    Capabilities(live=True, planned="count", scanned=True, needs_metadata_folder=True),
    also="plans every file for an OR over two columns",
    s3="Trino's own, path-style, one key a catalog",
    needs="needs a server, see --trino",
    engine="trino",
)

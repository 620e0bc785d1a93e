"""The reader on Firebolt, declared without importing its client."""

from __future__ import annotations

from xtable_audit.readers.adapter import Adapter, Capabilities

FIREBOLT = Adapter(
    "lab.engines.firebolt.reader:FireboltReader",
    "firebolt",
    "firebolt-sdk",
    Capabilities(live=True, planned="count", scanned=True, alone=True),
    also="format versions 1 and 2, no row-level deletes; identity partition values that are in the path "
    "alone read as absent; the engine's cache of files is cleared before each question",
    s3="path-style, one endpoint an engine, key per query",
    needs="needs an engine, see --firebolt",
    engine="firebolt",
)

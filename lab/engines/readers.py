"""All readers of the suite, by the ids users type: those that come by pip, then those that need an engine."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from lab.engines.firebolt.adapter import FIREBOLT
from lab.engines.spark.adapters import HUDI, SPARK, SPARK_DELTA
from lab.engines.trino.adapter import TRINO
from xtable_audit.access.s3 import S3
from xtable_audit.model.subject_id import ICEBERG
from xtable_audit.readers import registry
from xtable_audit.readers.adapter import Adapter
from xtable_audit.readers.subprocess_reader import SubprocessReader

ADAPTERS: Mapping[str, Adapter] = MappingProxyType(
    {**registry.ADAPTERS, "spark": SPARK, "trino": TRINO, "firebolt": FIREBOLT, "spark_delta": SPARK_DELTA}
)
INSTALL = "pip install -r requirements.txt"
BASELINES: Mapping[str, Adapter] = MappingProxyType({"hudi": HUDI})
"""Readers of the source table."""
READERS: tuple[str, ...] = tuple(ADAPTERS)


def embedded(*formats: str) -> tuple[str, ...]:
    """Readers of tables of these formats that pip installs and that need no engine: the default."""
    return tuple(name for name in readers_of(*formats) if ADAPTERS[name].embedded)


def readers_of(*formats: str) -> tuple[str, ...]:
    """Readers that open tables of one of these formats."""
    return tuple(name for name, adapter in ADAPTERS.items() if {*formats} & {*adapter.formats})


EMBEDDED: tuple[str, ...] = embedded(ICEBERG)
"""The default over Iceberg tables."""


def open_reader(name: str, store: S3, handle: Any = None) -> SubprocessReader:
    """The reader or baseline of that id on `store`, in its own process, which may still be loading.

    `handle` comes from `lab.engines.registry.open_engine`, for a reader that needs an engine. Raises Problem for an
    unknown id or a package that is not installed.
    """
    return registry.start(name, find(name), store, handle, install=INSTALL)


def find(name: str) -> Adapter:
    """The adapter of a reader or a baseline. Raises Problem for an unknown id."""
    return BASELINES.get(name) or registry.find(name, ADAPTERS)

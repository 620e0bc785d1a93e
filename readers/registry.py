"""The readers by the ids users type. A reader that is not asked for is neither imported nor started."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any, Literal

from readers.base import Reader, ReaderFactory
from stack.problem import Problem
from store.s3 import S3

Telling = Literal["live", "planned"]
"""What an engine can say of its own plan: how many live files it knows of, how many (or which) it plans to read."""


@dataclass(frozen=True)
class Adapter:
    """Where a reader's adapter is, what it stands on, and what it can tell."""

    module: str
    cls: str
    package: str
    """What Python imports."""
    plan: str
    """What the engine says of its own plan, in words."""
    limits: str
    """What it cannot read, or only in part, in words."""
    s3: str
    """How it reaches the store, in words."""
    needs: str = "comes by pip"
    """Where it comes from, in words."""
    tells: frozenset[Telling] = frozenset()
    alone: bool = False
    """Whether one process at a time may ask it, for its engine caches files across sessions."""
    engine: str | None = None
    """The engine it needs, by its name in `engines.registry`; None for one that lives in a Python package."""

    @property
    def embedded(self) -> bool:
        return self.engine is None


_STORE_OPTIONS = "path-style, endpoint and key per table"

ADAPTERS: Mapping[str, Adapter] = MappingProxyType(
    {
        "pyiceberg": Adapter(
            "readers.pyiceberg_reader",
            "PyIcebergReader",
            "pyiceberg",
            plan="names the files it plans",
            tells=frozenset({"planned"}),
            limits="plans no file with record_count 0",
            s3="PyArrow's S3, " + _STORE_OPTIONS,
        ),
        "duckdb": Adapter(
            "readers.duckdb_reader",
            "DuckDBReader",
            "duckdb",
            plan="says nothing",
            limits="ends its process over a truncated manifest",
            s3="httpfs, " + _STORE_OPTIONS,
        ),
        "clickhouse": Adapter(
            "readers.clickhouse_reader",
            "ClickHouseReader",
            "chdb",
            plan="says nothing",
            limits="wants metadata in a folder metadata/ below the table",
            s3="icebergS3, " + _STORE_OPTIONS,
        ),
        "polars": Adapter(
            "readers.polars_reader",
            "PolarsReader",
            "polars",
            plan="says nothing; PyIceberg plans for it",
            limits="as PyIceberg",
            s3="object_store, " + _STORE_OPTIONS,
        ),
        "daft": Adapter(
            "readers.daft_reader",
            "DaftReader",
            "daft",
            plan="says nothing; PyIceberg plans for it",
            limits="refuses Parquet files without field ids, which is all that Hudi and XTable leave (XTF-001)",
            s3="its own, " + _STORE_OPTIONS,
        ),
        "spark": Adapter(
            "readers.spark_reader",
            "SparkReader",
            "pyspark",
            plan="names the files it plans",
            limits="refuses a table that has a column of type time",
            s3="Hadoop S3A, path-style, one key a session",
            needs="needs Java 17 and Spark's jars, which are fetched",
            tells=frozenset({"live", "planned"}),
            engine="spark",
        ),
        "trino": Adapter(
            "readers.trino_reader",
            "TrinoReader",
            "trino",
            plan="counts the files live and planned, and the rows scanned",
            limits="reads a metadata.json in a folder metadata/ only; plans every file for an OR over two columns",
            s3="Trino's own, path-style, one key a catalog",
            needs="needs a server, see --trino",
            tells=frozenset({"live", "planned"}),
            engine="trino",
        ),
        "firebolt": Adapter(
            "readers.firebolt_reader",
            "FireboltReader",
            "firebolt",
            plan="counts the files live and planned_count, and the rows scanned",
            limits="format versions 1 and 2, no row-level deletes; identity partition values that are in the path "
            "alone read as absent; the engine's cache of files is cleared before each question",
            s3="path-style, one endpoint an engine, key per query",
            needs="needs an engine, see --firebolt",
            tells=frozenset({"live", "planned"}),
            alone=True,
            engine="firebolt",
        ),
    }
)
BASELINES: Mapping[str, Adapter] = MappingProxyType(
    {
        "hudi": Adapter(
            "readers.hudi_reader",
            "HudiReader",
            "pyspark",
            plan="names the files it plans",
            limits="opens one more file for the schema; where it skips by its index it loses rows of LIKE 'p%'",
            s3="Hadoop S3A, path-style, one key a session",
            needs="needs Java 17 and Spark's jars, which are fetched",
            tells=frozenset({"live", "planned"}),
            engine="spark",
        ),
    }
)
"""Readers of the source table: what a translation is held against. They are asked by base path."""
SKIPPING = "#skipping"
"""Put behind a base path, it asks Hudi's reader to skip data by the metadata table's indexes."""
READERS: tuple[str, ...] = tuple(ADAPTERS)
EMBEDDED: tuple[str, ...] = tuple(name for name, adapter in ADAPTERS.items() if adapter.embedded)
"""Those that come by pip and need nothing started: the default."""


def open_reader(name: str, store: S3, handle: Any = None) -> Reader:
    """The reader of that id over `store`, in a process of its own, which may still be loading.

    `handle` is what `engines.registry.open_engine` gave for a reader that needs an engine. Raises Problem for an
    unknown id or a package that is not installed.
    """
    adapter = find(name)
    if find_spec(adapter.package) is None:
        raise Problem(f"reader {name} is not installed: pip install -r requirements.txt")
    from readers.apart import ReaderApart

    return ReaderApart(name, store, handle)


def find(name: str) -> Adapter:
    """The adapter of a reader or a base line. Raises Problem for an unknown id."""
    adapter = ADAPTERS.get(name) or BASELINES.get(name)
    if adapter is None:
        raise Problem(f"there is no reader {name}; the known ones are {', '.join(ADAPTERS)}")
    return adapter


def load(adapter: Adapter) -> ReaderFactory:
    """The adapter's class, imported now."""
    factory: ReaderFactory = getattr(import_module(adapter.module), adapter.cls)
    return factory

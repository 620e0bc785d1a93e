"""The readers by the ids users type. A reader that is not asked for is neither imported nor started."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pkgutil import resolve_name
from types import MappingProxyType
from typing import Any, Literal

from readers.base import Reader, ReaderFactory
from stack.problem import Problem
from store.s3 import S3

Reported = Literal["live", "planned", "scanned"]
"""What an engine may report of its own plan: live files, planned files, rows scanned before they are filtered."""


@dataclass(frozen=True)
class Capabilities:
    """What a reader can do, beyond counting rows. `Answer` has None for what a reader does not report."""

    live: bool = False
    """Reports how many live files the table has."""
    planned: Literal["names", "count"] | None = None
    """Reports the planned files by name, or only how many there are."""
    scanned: bool = False
    """Reports how many rows it scans."""
    planner: str | None = None
    """The reader whose library plans in its place."""
    alone: bool = False
    """Its engine caches files across sessions: one process at a time may query it."""
    needs_field_ids: bool = False
    """Refuses Parquet files without field ids, which is all that Hudi and XTable leave (XTF-001)."""
    needs_metadata_folder: bool = False
    """Reads a metadata.json only in a folder metadata/ below the table."""

    def reports(self, what: Reported) -> bool:
        return bool(getattr(self, what))

    @property
    def plan(self) -> str:
        """What it reports of its plan, in words."""
        files = {"names": "the planned files by name", "count": "the number of planned files", None: ""}[self.planned]
        parts = ["the number of live files" if self.live else "", files, "the rows scanned" if self.scanned else ""]
        reported = ", ".join(part for part in parts if part) or "nothing"
        return f"reports {reported}" + (f"; {self.planner} plans for it" if self.planner else "")

    @property
    def limits(self) -> tuple[str, ...]:
        """What it cannot read, each in words."""
        ids = ("refuses Parquet files without field ids, which is all that Hudi and XTable leave (XTF-001)",)
        folder = ("reads a metadata.json only in a folder metadata/ below the table",)
        return (ids if self.needs_field_ids else ()) + (folder if self.needs_metadata_folder else ())


@dataclass(frozen=True)
class Adapter:
    """Where a reader's adapter is, what it stands on, and what it can do."""

    factory: str
    """Where its `ReaderFactory` is, as `pkgutil.resolve_name` takes it."""
    module: str
    """What Python imports of the engine or its client."""
    distribution: str
    """What pip installs it by, and what has its version; often another name than the module's."""
    capabilities: Capabilities
    s3: str
    """How it reaches the store, in words."""
    also: str = ""
    """What else it cannot read, or only in part, in words."""
    needs: str = "comes by pip"
    """Where it comes from, in words."""
    engine: str | None = None
    """The engine it needs, by its name in `engines.registry`; None for one that lives in a Python package."""

    @property
    def embedded(self) -> bool:
        return self.engine is None

    @property
    def limits(self) -> str:
        """What it cannot read, or only in part, in words."""
        return "; ".join([*self.capabilities.limits, *([self.also] if self.also else [])]) or "none known"

    @property
    def installed(self) -> str | None:
        """The version that is installed; None where the module is not.

        Raises Problem for a module without its distribution: without a version no entry of the register would hold.
        """
        if find_spec(self.module) is None:
            return None
        try:
            return version(self.distribution)
        except PackageNotFoundError as error:
            raise Problem(
                f"{self.module} can be imported, but no distribution {self.distribution} is installed, so its version "
                "is unknown: pip install -r requirements.txt."
            ) from error


_STORE_OPTIONS = "path-style, endpoint and key per table"

ADAPTERS: Mapping[str, Adapter] = MappingProxyType(
    {
        "pyiceberg": Adapter(
            "readers.pyiceberg_reader:PyIcebergReader",
            "pyiceberg",
            "pyiceberg",
            Capabilities(planned="names"),
            also="plans no file with record_count 0",
            s3="PyArrow's S3, " + _STORE_OPTIONS,
        ),
        "duckdb": Adapter(
            "readers.duckdb_reader:DuckDBReader",
            "duckdb",
            "duckdb",
            Capabilities(),
            also="ends its process over a truncated manifest",
            s3="httpfs, " + _STORE_OPTIONS,
        ),
        "clickhouse": Adapter(
            "readers.clickhouse_reader:ClickHouseReader",
            "chdb",
            "chdb",
            Capabilities(needs_metadata_folder=True),
            s3="icebergS3, " + _STORE_OPTIONS,
        ),
        "polars": Adapter(
            "readers.polars_reader:PolarsReader",
            "polars",
            "polars",
            Capabilities(planner="pyiceberg"),
            also="as PyIceberg",
            s3="object_store, " + _STORE_OPTIONS,
        ),
        "daft": Adapter(
            "readers.daft_reader:DaftReader",
            "daft",
            "daft",
            Capabilities(planner="pyiceberg", needs_field_ids=True),
            s3="its own, " + _STORE_OPTIONS,
        ),
        "spark": Adapter(
            "readers.spark_reader:SparkReader",
            "pyspark",
            "pyspark",
            Capabilities(live=True, planned="names", scanned=True),
            also="refuses a table that has a column of type time",
            s3="Hadoop S3A, path-style, one key a session",
            needs="needs Java 17 and Spark's jars, which are fetched",
            engine="spark",
        ),
        "trino": Adapter(
            "readers.trino_reader:TrinoReader",
            "trino",
            "trino",
            Capabilities(live=True, planned="count", scanned=True, needs_metadata_folder=True),
            also="plans every file for an OR over two columns",
            s3="Trino's own, path-style, one key a catalog",
            needs="needs a server, see --trino",
            engine="trino",
        ),
        "firebolt": Adapter(
            "readers.firebolt_reader:FireboltReader",
            "firebolt",
            "firebolt-sdk",
            Capabilities(live=True, planned="count", scanned=True, alone=True),
            also="format versions 1 and 2, no row-level deletes; identity partition values that are in the path "
            "alone read as absent; the engine's cache of files is cleared before each question",
            s3="path-style, one endpoint an engine, key per query",
            needs="needs an engine, see --firebolt",
            engine="firebolt",
        ),
    }
)
BASELINES: Mapping[str, Adapter] = MappingProxyType(
    {
        "hudi": Adapter(
            "readers.hudi_reader:HudiReader",
            "pyspark",
            "pyspark",
            Capabilities(live=True, planned="names", scanned=True),
            also="opens one more file for the schema; where it skips by its index it loses rows of LIKE 'p%'",
            s3="Hadoop S3A, path-style, one key a session",
            needs="needs Java 17 and Spark's jars, which are fetched",
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
    if find_spec(adapter.module) is None:
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
    factory: ReaderFactory = resolve_name(adapter.factory)
    return factory

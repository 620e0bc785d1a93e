"""The readers, by the ids users type. An unused reader is neither imported nor started."""

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
"""What an engine may report of its own plan: live files, planned files, rows scanned before filtering."""


@dataclass(frozen=True)
class Capabilities:
    """What a reader can do besides counting rows. `Answer` has None for what it does not report."""

    live: bool = False
    """Reports how many live files the table has."""
    planned: Literal["names", "count"] | None = None
    """Reports the planned files by name, or only their number."""
    scanned: bool = False
    """Reports how many rows it scans."""
    planner: str | None = None
    """The reader whose library plans for it."""
    alone: bool = False
    """Its engine caches files across sessions: one process at a time may query it."""
    needs_field_ids: bool = False
    """Refuses Parquet files without field ids. Hudi and XTable write none (XTF-001)."""
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
    """A reader's adapter: where it is, what it depends on, what it can do."""

    factory: str
    """Its `ReaderFactory`, as a name for `pkgutil.resolve_name`."""
    module: str
    """The Python module of the engine or its client."""
    distribution: str
    """The distribution that pip installs and that has the version; often named differently from the module."""
    capabilities: Capabilities
    s3: str
    """How it reaches the store, in words."""
    also: str = ""
    """Further limits, in words."""
    needs: str = "comes by pip"
    """Where it comes from, in words."""
    engine: str | None = None
    """The engine it needs, by its name in `engines.registry`; None if a Python package suffices."""

    @property
    def embedded(self) -> bool:
        return self.engine is None

    @property
    def limits(self) -> str:
        """What it cannot read, or only in part, in words."""
        return "; ".join([*self.capabilities.limits, *([self.also] if self.also else [])]) or "none known"

    @property
    def installed(self) -> str | None:
        """The installed version; None if the module is not installed.

        Raises Problem for a module without its distribution: register entries cannot apply without a version.
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
"""Readers of the source table, the baseline for a translation. Their location is a base path."""
SKIPPING = "#skipping"
"""Appended to a base path, it makes Hudi's reader skip data by the metadata table's indexes."""
READERS: tuple[str, ...] = tuple(ADAPTERS)
EMBEDDED: tuple[str, ...] = tuple(name for name, adapter in ADAPTERS.items() if adapter.embedded)
"""Readers that pip installs and that need no engine: the default."""


def open_reader(name: str, store: S3, handle: Any = None) -> Reader:
    """The reader of that id on `store`, in its own process, which may still be loading.

    `handle` comes from `engines.registry.open_engine`, for a reader that needs an engine. Raises Problem for an unknown
    id or a package that is not installed.
    """
    adapter = find(name)
    if find_spec(adapter.module) is None:
        raise Problem(f"reader {name} is not installed: pip install -r requirements.txt")
    from readers.apart import ReaderApart

    return ReaderApart(name, store, handle)


def find(name: str) -> Adapter:
    """The adapter of a reader or a baseline. Raises Problem for an unknown id."""
    adapter = ADAPTERS.get(name) or BASELINES.get(name)
    if adapter is None:
        raise Problem(f"there is no reader {name}; the known ones are {', '.join(ADAPTERS)}")
    return adapter


def load(adapter: Adapter) -> ReaderFactory:
    """Imports the adapter's class."""
    factory: ReaderFactory = resolve_name(adapter.factory)
    return factory

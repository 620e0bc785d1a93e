"""What a reader is and can do, known before it is imported, and the readers that come by pip, by the ids users type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any, Literal

from xtable_audit.access.s3 import S3
from xtable_audit.model.aggregate import OF_FUNCTIONS, Shortcut
from xtable_audit.model.problem import Problem
from xtable_audit.model.subject_id import DELTA, ICEBERG
from xtable_audit.readers.subprocess_reader import SubprocessReader

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
    skips: bool = True
    """Skips files by bounds and counts, and not by partition values alone."""
    needs_field_ids: bool = False
    """Refuses Parquet files without field ids. Hudi and XTable write none (XTF-001)."""
    needs_metadata_folder: bool = False
    """Reads a metadata.json only in a folder metadata/ below the table."""
    shortcuts: tuple[Shortcut, ...] = ()
    """What it answers from metadata, or by files that metadata chooses, as `python -m tools shortcuts` finds it."""
    shortcuts_turn_off: bool = False
    """Whether a setting keeps it from that."""

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
    """Its `ReaderFactory`, as a name for `pkgutil.resolve_name`: `package.module:Class`."""
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
    """The name of the engine that gives its handle; None if a Python package suffices."""
    refuses: str | None = None
    """What its error says where it refuses a table by what is in the table's files, on any machine and at any time."""
    formats: tuple[str, ...] = (ICEBERG,)
    """The table formats that it opens."""

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
                "is unknown: install it with pip."
            ) from error


INSTALL = "pip install 'xtable-audit[readers]'"
_STORE_OPTIONS = "path-style, endpoint and key per table"

ADAPTERS: Mapping[str, Adapter] = MappingProxyType(
    {
        "pyiceberg": Adapter(
            "xtable_audit.readers.pyiceberg_reader:PyIcebergReader",
            "pyiceberg",
            "pyiceberg",
            Capabilities(planned="names", shortcuts=("rows", "rows of a partition")),
            also="plans no file with record_count 0",
            s3="PyArrow's S3, " + _STORE_OPTIONS,
        ),
        "duckdb": Adapter(
            "xtable_audit.readers.duckdb_reader:DuckDBReader",
            "duckdb",
            "duckdb",
            Capabilities(shortcuts=("rows", "joined rows", "rows of a day"), shortcuts_turn_off=True),
            also="ends its process over a truncated manifest",
            s3="httpfs, " + _STORE_OPTIONS,
        ),
        "clickhouse": Adapter(
            "xtable_audit.readers.clickhouse_reader:ClickHouseReader",
            "chdb",
            "chdb",
            Capabilities(needs_metadata_folder=True, shortcuts=("rows", *OF_FUNCTIONS), shortcuts_turn_off=True),
            s3="icebergS3, " + _STORE_OPTIONS,
        ),
        "polars": Adapter(
            "xtable_audit.readers.polars_reader:PolarsReader",
            "polars",
            "polars",
            Capabilities(planner="pyiceberg", shortcuts=("rows",)),
            also="as PyIceberg",
            s3="object_store, " + _STORE_OPTIONS,
        ),
        "daft": Adapter(
            "xtable_audit.readers.daft_reader:DaftReader",
            "daft",
            "daft",
            Capabilities(
                planner="pyiceberg",
                needs_field_ids=True,
                shortcuts=("rows", "rows of a partition", "rows of a text", "limited rows"),
            ),
            s3="its own, " + _STORE_OPTIONS,
            refuses="carries no parquet field IDs",
        ),
        "deltalake": Adapter(
            "xtable_audit.readers.deltalake_reader:DeltaLakeReader",
            "deltalake",
            "deltalake",
            Capabilities(planned="names", shortcuts=("rows", "rows of a partition", "rows of a text")),
            also="names no planned files for LIKE",
            s3="object_store, " + _STORE_OPTIONS,
            formats=(DELTA,),
        ),
        "polars_delta": Adapter(
            "xtable_audit.readers.polars_reader:PolarsDeltaReader",
            "polars",
            "polars",
            Capabilities(planner="deltalake"),
            s3="object_store, " + _STORE_OPTIONS,
            formats=(DELTA,),
        ),
        "duckdb_delta": Adapter(
            "xtable_audit.readers.duckdb_reader:DuckDBDeltaReader",
            "duckdb",
            "duckdb",
            Capabilities(),
            also="skips no files by timestamps or by null counts",
            s3="httpfs, " + _STORE_OPTIONS,
            formats=(DELTA,),
        ),
    }
)


def open_reader(name: str, store: S3) -> SubprocessReader:
    """The reader of that id on `store`, in its own process. Raises Problem as `find` and `start` do."""
    return start(name, find(name), store)


def find(name: str, adapters: Mapping[str, Adapter] = ADAPTERS) -> Adapter:
    """The adapter of that id. Raises Problem for an unknown id; the message lists the known ones."""
    if name not in adapters:
        raise Problem(f"there is no reader {name}; the readers are {', '.join(adapters)}")
    return adapters[name]


def start(name: str, adapter: Adapter, store: S3, handle: Any = None, *, install: str = INSTALL) -> SubprocessReader:
    """The adapter's reader in its own process, which may still be loading.

    `handle` is what a reader needs of its engine. Raises Problem if its package is not installed; the message has the
    command `install`.
    """
    if find_spec(adapter.module) is None:
        raise Problem(f"reader {name} is not installed: {install}")
    return SubprocessReader(name, adapter.factory, store, handle)

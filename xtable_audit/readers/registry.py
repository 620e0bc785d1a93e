"""The readers that come by pip, by the ids users type. An unused reader is neither imported nor started."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any

from xtable_audit.access.s3 import S3
from xtable_audit.model.problem import Problem
from xtable_audit.model.subject_id import DELTA
from xtable_audit.readers.adapter import Adapter, Capabilities
from xtable_audit.readers.subprocess_reader import SubprocessReader

INSTALL = "pip install 'xtable-audit[readers]'"
_STORE_OPTIONS = "path-style, endpoint and key per table"

ADAPTERS: Mapping[str, Adapter] = MappingProxyType(
    {
        "pyiceberg": Adapter(
            "xtable_audit.readers.pyiceberg_reader:PyIcebergReader",
            "pyiceberg",
            "pyiceberg",
            Capabilities(planned="names"),
            also="plans no file with record_count 0",
            s3="PyArrow's S3, " + _STORE_OPTIONS,
        ),
        "duckdb": Adapter(
            "xtable_audit.readers.duckdb_reader:DuckDBReader",
            "duckdb",
            "duckdb",
            Capabilities(),
            also="ends its process over a truncated manifest",
            s3="httpfs, " + _STORE_OPTIONS,
        ),
        "clickhouse": Adapter(
            "xtable_audit.readers.clickhouse_reader:ClickHouseReader",
            "chdb",
            "chdb",
            Capabilities(needs_metadata_folder=True),
            s3="icebergS3, " + _STORE_OPTIONS,
        ),
        "polars": Adapter(
            "xtable_audit.readers.polars_reader:PolarsReader",
            "polars",
            "polars",
            Capabilities(planner="pyiceberg"),
            also="as PyIceberg",
            s3="object_store, " + _STORE_OPTIONS,
        ),
        "daft": Adapter(
            "xtable_audit.readers.daft_reader:DaftReader",
            "daft",
            "daft",
            Capabilities(planner="pyiceberg", needs_field_ids=True),
            s3="its own, " + _STORE_OPTIONS,
            refuses="carries no parquet field IDs",
        ),
        "deltalake": Adapter(
            "xtable_audit.readers.deltalake_reader:DeltaLakeReader",
            "deltalake",
            "deltalake",
            Capabilities(planned="names"),
            also="names no planned files for LIKE",
            s3="object_store, " + _STORE_OPTIONS,
            formats=(DELTA,),
        ),
        "polars_delta": Adapter(
            "xtable_audit.readers.polars_delta_reader:PolarsDeltaReader",
            "polars",
            "polars",
            Capabilities(planner="deltalake"),
            s3="object_store, " + _STORE_OPTIONS,
            formats=(DELTA,),
        ),
        "duckdb_delta": Adapter(
            "xtable_audit.readers.duckdb_delta_reader:DuckDBDeltaReader",
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

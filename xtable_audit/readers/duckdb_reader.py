"""DuckDB with its extensions for Iceberg and Delta from Python packages, so that it downloads nothing."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

import duckdb

from xtable_audit.access.s3 import S3
from xtable_audit.model.aggregate import Aggregate
from xtable_audit.model.delta_version import delta_version
from xtable_audit.model.predicate import Predicate
from xtable_audit.model.problem import Problem
from xtable_audit.readers.aggregates_in_sql import in_sql
from xtable_audit.readers.reader import Answer, column_to_read
from xtable_audit.readers.sql_dialects import DUCKDB

SHORTCUTS = "statistics_propagation,join_filter_pushdown,filter_pushdown"
"""Optimisers: the first answers count(*), the others skip files by the keys of a join and by a condition."""
EXTENSIONS = ("httpfs", "avro", "iceberg")


class DuckDBReader:
    name: ClassVar[str] = "duckdb"
    extensions: ClassVar[Sequence[str]] = EXTENSIONS

    def __init__(self, store: S3, handle: Any = None) -> None:
        offline: dict[str, str | bool | int | float | list[str]] = {
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        }
        self._connection = duckdb.connect(":memory:", config=offline)
        for extension in self.extensions:
            self._connection.load_extension(str(extension_file(extension)))
        # no caches: a repeated read must reach the store
        self._connection.execute("SET enable_external_file_cache = false")
        self._connection.execute("SET enable_http_metadata_cache = false")
        self._connection.execute("SET parquet_metadata_cache = false")
        self._connection.execute(_secret(store))

    @property
    def version(self) -> str:
        return str(duckdb.__version__)

    def query(self, metadata_location: str, predicate: Predicate | None) -> Answer:
        table = self.scan(metadata_location)
        described = self._connection.execute(f"DESCRIBE SELECT * FROM {table}").fetchall()
        column = DUCKDB.column(column_to_read({name: kind for name, kind, *_ in described}, predicate))
        # no footer or manifest has the hash of a value
        query = f"SELECT count(*), sum(hash({column})) FROM {table}{DUCKDB.where(predicate)}"
        (rows, _) = self._connection.execute(query).fetchall()[0]
        return Answer(int(rows))

    def aggregate(self, metadata_location: str, asked: Sequence[Aggregate], shortcut: bool = True) -> Sequence[Any]:
        """As `AggregatingReader.aggregate`."""
        self._connection.execute(f"SET disabled_optimizers = '{'' if shortcut else SHORTCUTS}'")
        try:
            query = in_sql(asked, self.scan(metadata_location), DUCKDB)
            [values] = self._connection.execute(query).fetchall()
        finally:
            self._connection.execute("SET disabled_optimizers = ''")
        return tuple(values)

    def scan(self, metadata_location: str) -> str:
        """The call of the table function on the table."""
        return f"iceberg_scan({DUCKDB.literal(metadata_location)})"


def extension_file(extension: str) -> Path:
    """The extension's file in its package. Raises Problem if the package is missing or built for another DuckDB."""
    package = f"duckdb_extension_{extension}"
    built_for = f"v{duckdb.__version__}"
    if find_spec(package) is not None:
        file = Path(str(files(package))) / "extensions" / built_for / f"{extension}.duckdb_extension"
        if file.is_file():
            return file
    wanted = f"duckdb-extension-{extension}=={duckdb.__version__}"
    raise Problem(f"DuckDB {duckdb.__version__} lacks its {extension} extension: pip install {wanted}")


def _secret(store: S3) -> str:
    parts = {
        "KEY_ID": store.access_key,
        "SECRET": store.secret_key,
        "SESSION_TOKEN": store.session_token,
        "REGION": store.region,
        "ENDPOINT": store.host,
        "URL_STYLE": "path",
    }
    written = [f"{name} {DUCKDB.literal(value)}" for name, value in parts.items() if value]
    return f"CREATE SECRET (TYPE s3, {', '.join(written)}, USE_SSL {str(store.tls).lower()})"


class DuckDBDeltaReader(DuckDBReader):
    name: ClassVar[str] = "duckdb_delta"
    extensions: ClassVar[Sequence[str]] = ("httpfs", "delta")

    def scan(self, metadata_location: str) -> str:
        root, version = delta_version(metadata_location)
        return f"delta_scan({DUCKDB.literal(root)}, version = {version})"

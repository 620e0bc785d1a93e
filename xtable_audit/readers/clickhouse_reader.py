"""ClickHouse, embedded as chDB, through its `icebergS3` table function."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any, ClassVar

import chdb

from xtable_audit.access.s3 import S3
from xtable_audit.model.aggregate import Aggregate
from xtable_audit.model.predicate import Predicate
from xtable_audit.readers.aggregates_in_sql import in_sql
from xtable_audit.readers.reader import Answer, column_to_read
from xtable_audit.readers.sql_dialects import CLICKHOUSE


def _written(settings: Mapping[str, int | str]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in settings.items())


# No caches: a repeated read must reach the store.
_CACHELESS: dict[str, int | str] = {
    "enable_filesystem_cache": 0,
    "s3_retry_attempts": 3,  # rather than 500: fail soon if the store is gone
    "schema_inference_use_cache_for_s3": 0,
    "use_cache_for_count_from_files": 0,
    "use_iceberg_metadata_files_cache": 0,
    "use_parquet_metadata_cache": 0,
    "use_query_cache": 0,
    "use_query_condition_cache": 0,
    "use_statistics_cache": 0,
    "use_uncompressed_cache": 0,
    "session_timezone": "'UTC'",  # a timestamp without a zone is in UTC
}
BY_DEFAULT = _written(_CACHELESS)
SETTINGS = _written(_CACHELESS | {"optimize_count_from_files": 0, "optimize_trivial_count_query": 0})
"""Counts come from values, and not from metadata."""
UNSKIPPED = "use_iceberg_partition_pruning = 0"
"""No file is skipped, neither by its partition nor by its bounds."""


class ClickHouseReader:
    name: ClassVar[str] = "clickhouse"

    def __init__(self, store: S3, handle: Any = None) -> None:
        self._store = store
        self._connection = _connect()

    @property
    def version(self) -> str:
        return version("chdb")

    def query(self, metadata_location: str, predicate: Predicate | None) -> Answer:
        table = self._table(metadata_location)
        types = {name: kind for name, kind, *_ in self._rows(f"DESCRIBE TABLE {table}")}
        column = CLICKHOUSE.column(column_to_read(types, predicate))
        query = f"SELECT count(), sum(cityHash64({column})) FROM {table}{CLICKHOUSE.where(predicate)}"
        (rows, _) = self._rows(query)[0]
        return Answer(int(rows))

    def aggregate(self, metadata_location: str, asked: Sequence[Aggregate], shortcut: bool = True) -> Sequence[Any]:
        query = in_sql(asked, self._table(metadata_location), CLICKHOUSE)
        [values] = self._rows(query, BY_DEFAULT if shortcut else f"{SETTINGS}, {UNSKIPPED}")
        return [int(value) if one.function == "count" else value for one, value in zip(asked, values, strict=True)]

    def _table(self, metadata_location: str) -> str:
        """The table function's call on the table's folder, with a setting that names the metadata.json to read."""
        folder, found, file = metadata_location.partition("://")[2].rpartition("/metadata/")
        if not found:
            raise ValueError(f"{metadata_location} is not in a folder metadata/")
        endpoint = self._store.endpoint or f"https://s3.{self._store.region}.amazonaws.com"
        address = f"{endpoint}/{folder}/"
        credential = [self._store.access_key, self._store.secret_key, self._store.session_token]
        arguments = ", ".join(CLICKHOUSE.literal(value) for value in [address, *credential] if value)
        metadata = CLICKHOUSE.literal(f"metadata/{file}")
        return f"icebergS3({arguments}, SETTINGS iceberg_metadata_file_path = {metadata})"

    def _rows(self, query: str, settings: str = SETTINGS) -> list[list[Any]]:
        try:
            answer = self._connection.query(f"{query} SETTINGS {settings}", "JSONCompact")
        except RuntimeError:  # chdb's ChdbError is one
            # chDB 4.4 prepends the partial output of a failed query to the next one's answer
            self._connection.close()
            self._connection = _connect()
            raise
        rows: list[list[Any]] = json.loads(str(answer))["data"]
        return rows


def _connect() -> Any:
    return chdb.connect(":memory:")  # type: ignore[no-untyped-call]

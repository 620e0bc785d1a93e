"""Polars, which reads Parquet itself: `scan_iceberg`, planned through PyIceberg, and `scan_delta`, through delta-rs."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

# Polars reads both variables only from the environment, at the first scan. Repeated reads of metadata must reach the
# store, and PyIceberg is the planner.
os.environ["POLARS_ICEBERG_METADATA_FILE_CACHE_MB"] = "0"
os.environ.setdefault("POLARS_ICEBERG_PLANNER", "pyiceberg")

import polars as pl

from xtable_audit.access.s3 import S3
from xtable_audit.model.aggregate import Aggregate
from xtable_audit.model.delta_version import delta_version
from xtable_audit.model.predicate import Predicate
from xtable_audit.readers.expressions import aggregate, expression
from xtable_audit.readers.pyiceberg_reader import column_types, open_table
from xtable_audit.readers.reader import Answer, column_to_read


class _ByPolars(ABC):
    def __init__(self, store: S3, handle: Any = None) -> None:
        self._store = store

    @property
    def version(self) -> str:
        return pl.__version__

    @abstractmethod
    def _scanned(self, metadata_location: str) -> tuple[pl.LazyFrame, Callable[[], Mapping[str, str]]]:
        """The table, and what gives the types of its columns."""

    def query(self, metadata_location: str, predicate: Predicate | None) -> Answer:
        frame, types = self._scanned(metadata_location)
        column = column_to_read(types(), predicate)
        if predicate is not None:
            frame = frame.filter(expression(predicate))
        # no footer, manifest or log has the hash of a value
        rows, _ = frame.select(pl.len(), pl.col(column).hash().sum().alias("read")).collect().row(0)
        return Answer(int(rows))

    def aggregate(self, metadata_location: str, asked: Sequence[Aggregate], shortcut: bool = True) -> Sequence[Any]:
        frame, _ = self._scanned(metadata_location)
        return aggregate(frame, asked, shortcut)


class PolarsReader(_ByPolars):
    name: ClassVar[str] = "polars"

    def _scanned(self, metadata_location: str) -> tuple[pl.LazyFrame, Callable[[], Mapping[str, str]]]:
        table = open_table(metadata_location, self._store)
        return pl.scan_iceberg(table, storage_options=self._store.pyiceberg()), lambda: column_types(table)


class PolarsDeltaReader(_ByPolars):
    name: ClassVar[str] = "polars_delta"

    def _scanned(self, metadata_location: str) -> tuple[pl.LazyFrame, Callable[[], Mapping[str, str]]]:
        root, version = delta_version(metadata_location)
        frame = pl.scan_delta(root, version=version, storage_options=self._store.object_store())
        return frame, lambda: {name: str(kind) for name, kind in frame.collect_schema().items()}

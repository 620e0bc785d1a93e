"""PyIceberg's planner, asked for many predicates at the price of reading the table's metadata once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

from pyiceberg.io import FileIO
from pyiceberg.manifest import DataFileContent, ManifestEntry, ManifestFile, clear_manifest_cache
from pyiceberg.table import ManifestGroupPlanner, StaticTable

from readers.pyiceberg_reader import expression, open_table
from store.s3 import S3
from xtable_audit.model.malformed import first_line
from xtable_audit.model.predicate import Predicate
from xtable_audit.planning.planners import Refused


def plan(store: S3, metadata_location: str, predicates: Sequence[Predicate]) -> list[frozenset[str] | None]:
    """Paths of the data files that `Table.scan(row_filter).plan_files()` keeps, for each predicate.

    It is asked without the residuals that `plan_files` adds, which have no part in what is kept: 0.12 fails over them
    where a partition's value is null and the predicate an OR on it (`None > 'a'`), and says so loudly.

    None for a predicate that PyIceberg cannot be asked: of a literal that the column's type cannot hold, or that lies
    so near the end of Python's calendar that its projection on a partition by time is beyond it.
    Raises Refused where it cannot plan the table.
    """
    try:
        table = open_table(metadata_location, store)
    except Exception as error:  # whatever it raises is its word on the table
        raise Refused(first_line(error)) from error
    return plan_table(table, predicates)


def plan_table(table: StaticTable, predicates: Sequence[Predicate]) -> list[frozenset[str] | None]:
    """As `plan`, of a table that is open."""
    clear_manifest_cache()  # it is kept by path, and what lies there may have changed
    try:
        snapshot = table.current_snapshot()
        manifests: Any = [_Read(manifest, table.io) for manifest in snapshot.manifests(table.io)] if snapshot else []
        return [_kept(table, manifests, predicate) for predicate in predicates]
    except Exception as error:
        raise Refused(first_line(error)) from error


def _kept(table: StaticTable, manifests: Any, predicate: Predicate) -> frozenset[str] | None:
    planner = ManifestGroupPlanner(table.metadata, table.io, expression(predicate))
    try:
        planner._build_metrics_evaluator()  # binds the predicate to the schema
    except (TypeError, ValueError):
        return None
    try:
        kept = chain.from_iterable(planner.plan_manifest_entries(manifests))
        # Of tables of format version 1 it is a plain number.
        return frozenset(entry.data_file.file_path for entry in kept if entry.data_file.content == DataFileContent.DATA)
    except OverflowError:
        return None


class _Read:
    """A manifest whose entries are read; all else is asked of the manifest itself."""

    def __init__(self, manifest: ManifestFile, io: FileIO) -> None:
        self._manifest = manifest
        self._live = manifest.fetch_manifest_entry(io, discard_deleted=True)

    def fetch_manifest_entry(self, io: FileIO, discard_deleted: bool = True) -> list[ManifestEntry]:
        return self._live if discard_deleted else self._manifest.fetch_manifest_entry(io, discard_deleted)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._manifest, name)

"""PyIceberg's planner for many predicates, with the table's metadata read only once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

from pyiceberg.io import FileIO
from pyiceberg.manifest import DataFileContent, ManifestEntry, ManifestFile, clear_manifest_cache
from pyiceberg.table import ManifestGroupPlanner, StaticTable

from xtable_audit.model.malformed import first_line
from xtable_audit.model.predicate import Predicate
from xtable_audit.model.refused import Refused
from xtable_audit.readers.pyiceberg_reader import PyIcebergReach, expression, open_table


def plan(reach: PyIcebergReach, metadata_location: str, predicates: Sequence[Predicate]) -> list[frozenset[str] | None]:
    """Paths of the data files that `Table.scan(row_filter).plan_files()` keeps, for each predicate.

    Skips the residuals that `plan_files` adds. They do not affect which files it keeps, and PyIceberg 0.12 raises an
    error on them if a partition value is null and the predicate is an OR on it (`None > 'a'`).

    None for a predicate that PyIceberg cannot plan: the column's type cannot hold its literal, or the literal's
    projection on a time partition is outside Python's calendar. Raises Refused if it cannot plan the table.
    """
    try:
        table = open_table(metadata_location, reach)
    except Exception as error:  # any exception means that it cannot plan the table
        raise Refused(first_line(error)) from error
    return plan_table(table, predicates)


def plan_table(table: StaticTable, predicates: Sequence[Predicate]) -> list[frozenset[str] | None]:
    """As `plan`, for an open table."""
    clear_manifest_cache()  # its keys are paths, and the files there may have changed
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
        entries = chain.from_iterable(planner.plan_manifest_entries(manifests))
        files = (entry.data_file for entry in entries)
        # In format version 1 `content` is a plain number.
        return frozenset(file.file_path for file in files if file.content == DataFileContent.DATA)
    except OverflowError:
        return None


class _Read:
    """A manifest with its entries already read. Passes everything else on to the manifest."""

    def __init__(self, manifest: ManifestFile, io: FileIO) -> None:
        self._manifest = manifest
        self._live = manifest.fetch_manifest_entry(io, discard_deleted=True)

    def fetch_manifest_entry(self, io: FileIO, discard_deleted: bool = True) -> list[ManifestEntry]:
        return self._live if discard_deleted else self._manifest.fetch_manifest_entry(io, discard_deleted)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._manifest, name)

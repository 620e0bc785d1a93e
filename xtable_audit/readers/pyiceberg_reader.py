"""PyIceberg: plans itself, for many predicates too, and reads through PyArrow. Polars and Daft open tables with it."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from itertools import chain
from typing import Any, ClassVar, Protocol

from pyiceberg import expressions
from pyiceberg.io import FileIO
from pyiceberg.io.pyarrow import ArrowScan
from pyiceberg.manifest import DataFileContent, ManifestEntry, ManifestFile, clear_manifest_cache
from pyiceberg.table import ManifestGroupPlanner, StaticTable

from xtable_audit.access.s3 import S3
from xtable_audit.model.aggregate import Aggregate
from xtable_audit.model.malformed import first_line
from xtable_audit.model.planner import Refused
from xtable_audit.model.predicate import And, Compare, In, IsNull, Or, Predicate, StartsWith
from xtable_audit.readers.reader import Answer, NotOffered, column_to_read


class PyIcebergReach(Protocol):
    """How PyIceberg reaches a table's files."""

    def pyiceberg(self) -> dict[str, str]:
        """The properties of its FileIO."""
        ...


class PyIcebergReader:
    name: ClassVar[str] = "pyiceberg"

    def __init__(self, store: S3, handle: Any = None) -> None:
        self._store = store

    @property
    def version(self) -> str:
        return version("pyiceberg")

    def query(self, metadata_location: str, predicate: Predicate | None) -> Answer:
        table = open_table(metadata_location, self._store)
        row_filter = expression(predicate)
        scan = table.scan(row_filter=row_filter, selected_fields=(column_to_read(column_types(table), predicate),))
        tasks = list(scan.plan_files())
        read = ArrowScan(table.metadata, table.io, scan.projection(), row_filter)
        rows = sum(batch.num_rows for batch in read.to_record_batches(tasks))
        return Answer(rows, frozenset(task.file.file_path for task in tasks))

    def aggregate(self, metadata_location: str, asked: Sequence[Aggregate], shortcut: bool = True) -> Sequence[Any]:
        """As `AggregatingReader.aggregate`: PyIceberg counts rows alone, and no setting turns its shortcut off."""
        if not shortcut or any(one.column is not None or one.form not in ("aggregate", "limit") for one in asked):
            raise NotOffered
        table = open_table(metadata_location, self._store)
        if (limit := asked[0].limit) is not None:
            return [table.scan(limit=limit).to_arrow().num_rows]
        return [table.scan(row_filter=expression(one.predicate)).count() for one in asked]


def open_table(metadata_location: str, reach: PyIcebergReach) -> StaticTable:
    """The table of a metadata.json. Clears PyIceberg's manifest cache first."""
    clear_manifest_cache()
    return StaticTable.from_metadata(metadata_location, reach.pyiceberg())


def column_types(table: StaticTable) -> dict[str, str]:
    """Top-level column -> Iceberg's name of its type."""
    return {field.name: str(field.field_type) for field in table.schema().fields}


ice: Any = expressions  # its classes take positional arguments that their type hints omit

_COMPARISONS: dict[str, Any] = {
    "=": ice.EqualTo,
    "<": ice.LessThan,
    "<=": ice.LessThanOrEqual,
    ">": ice.GreaterThan,
    ">=": ice.GreaterThanOrEqual,
}


def expression(predicate: Predicate | None) -> expressions.BooleanExpression:
    """A predicate as PyIceberg writes it."""
    written: expressions.BooleanExpression = _expression(predicate)
    return written


def _expression(predicate: Predicate | None) -> Any:
    match predicate:
        case None:
            return ice.AlwaysTrue()
        case And(left, right):
            return ice.And(_expression(left), _expression(right))
        case Or(left, right):
            return ice.Or(_expression(left), _expression(right))
        case Compare(column, "!=", value):
            return ice.And(ice.NotEqualTo(column, value), ice.NotNull(column))
        case Compare(column, operator, value):
            return _COMPARISONS[operator](column, value)
        case In(column, values, True):
            # in SQL, null NOT IN (…) is unknown; in Iceberg's expressions it is true
            return ice.And(ice.NotIn(column, values), ice.NotNull(column))
        case In(column, values):
            return ice.In(column, values)
        case IsNull(column, negated):
            return ice.NotNull(column) if negated else ice.IsNull(column)
        case StartsWith(column, prefix):
            return ice.StartsWith(column, prefix)
    raise TypeError(f"no PyIceberg expression for a {type(predicate).__name__}")


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
        manifests: Any = (
            [_ReadManifest(manifest, table.io) for manifest in snapshot.manifests(table.io)] if snapshot else []
        )
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


class _ReadManifest:
    """A manifest with its entries already read. Passes everything else on to the manifest."""

    def __init__(self, manifest: ManifestFile, io: FileIO) -> None:
        self._manifest = manifest
        self._live = manifest.fetch_manifest_entry(io, discard_deleted=True)

    def fetch_manifest_entry(self, io: FileIO, discard_deleted: bool = True) -> list[ManifestEntry]:
        return self._live if discard_deleted else self._manifest.fetch_manifest_entry(io, discard_deleted)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._manifest, name)

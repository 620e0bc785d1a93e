"""PyIceberg: plans itself, reports its planned files and reads through PyArrow. Polars and Daft open tables with it."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any, ClassVar, Protocol

from pyiceberg import expressions
from pyiceberg.io.pyarrow import ArrowScan
from pyiceberg.manifest import clear_manifest_cache
from pyiceberg.table import StaticTable

from xtable_audit.access.s3 import S3
from xtable_audit.model.predicate import And, Compare, In, IsNull, Or, Predicate, StartsWith
from xtable_audit.readers.column_to_read import column_to_read
from xtable_audit.readers.reader import Answer


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

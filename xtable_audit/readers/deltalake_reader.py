"""delta-rs: reads through DataFusion, and lists the files that it plans. Polars opens Delta tables with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from importlib.metadata import version
from typing import Any, ClassVar, Protocol

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder

from xtable_audit.access.s3 import S3
from xtable_audit.model.aggregate import Aggregate
from xtable_audit.model.delta_version import delta_version
from xtable_audit.model.malformed import first_line
from xtable_audit.model.planner import Refused
from xtable_audit.model.predicate import Predicate
from xtable_audit.readers.aggregates_in_sql import in_sql
from xtable_audit.readers.reader import Answer, NotOffered, column_to_read
from xtable_audit.readers.sql_dialects import DATAFUSION, Dialect

UNPLANNABLE = ("Cannot convert to kernel expression", "get_field function requires exactly 2 arguments")
"""What delta-rs says of predicates by which it skips no files: LIKE, and those on a field of a struct in a struct."""

# Literals of these types need a cast: delta-rs compares a bound only with a literal of the column's very type.
_CASTS = {
    "int8": "Int8",
    "int16": "Int16",
    "int32": "Int32",
    "int64": "Int64",
    "float": "Float32",
    "double": "Float64",
    "timestamp[us]": "Timestamp(Microsecond, None)",
    "timestamp[us, tz=UTC]": 'Timestamp(Microsecond, Some("UTC"))',
}


class NotPlanned(Exception):
    """delta-rs names no files for this predicate: why, in one sentence."""


def planned_files(table: DeltaTable, predicate: Predicate | None) -> frozenset[str]:
    """Absolute addresses, as delta-rs spells them.

    Raises NotPlanned if delta-rs cannot plan by the predicate, and whatever it raises over a table that it cannot read.
    """
    if predicate is None:
        return frozenset(table.file_uris())
    written = Typed.over_table(table).render(predicate)
    try:
        return frozenset(table.file_uris(file_pruning_predicate=written))
    except Exception as error:  # delta-rs raises several types
        if any(words in str(error) for words in UNPLANNABLE):
            raise NotPlanned(f"delta-rs names no files for {predicate}: {first_line(error)}") from error
        raise


@dataclass(frozen=True)
class Typed(Dialect):
    """DataFusion's SQL with every literal in its column's type."""

    types: Mapping[str, pa.DataType] = field(default_factory=dict)
    """By path: nested columns too."""

    @classmethod
    def over_table(cls, table: DeltaTable) -> Typed:
        schema = pa.schema(table.schema().to_arrow())
        plain = DATAFUSION.over(schema.names)
        return cls(plain.column, plain.literal, plain.starts_with, types=dict(_leaves("", schema)))

    def operand(self, column: str, value: Any) -> str:
        """Raises NotPlanned for a value that the column's type cannot hold."""
        kind = self.types.get(column)
        cast = None if kind is None else _cast(kind)
        if kind is None or cast is None:
            return self.literal(value)
        if not _holds(kind, value):
            raise NotPlanned(f"delta-rs plans by literals of the type {kind} for {column}, which cannot hold {value}")
        text = format(value, "f") if isinstance(value, Decimal) else str(value)
        return f"arrow_cast('{text}', '{cast}')"


def _leaves(above: str, fields: Any) -> list[tuple[str, pa.DataType]]:
    leaves = []
    for each in fields:
        leaves.append((above + each.name, each.type))
        if pa.types.is_struct(each.type):
            leaves += _leaves(f"{above}{each.name}.", each.type)
    return leaves


def _cast(kind: pa.DataType) -> str | None:
    if pa.types.is_decimal(kind):
        return f"Decimal128({kind.precision}, {kind.scale})"
    return _CASTS.get(str(kind))


def _holds(kind: pa.DataType, value: Any) -> bool:
    try:
        held = pa.scalar(value, kind).as_py()
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return False
    return bool(held == value) or (held != held and value != value)  # NaN


class DeltaReach(Protocol):
    """How delta-rs reaches a table's files."""

    def delta(self, root: str) -> tuple[str, dict[str, str]]:
        """Where it finds the table of that address, and the options of its object store."""
        ...


class DeltaLakeReader:
    name: ClassVar[str] = "deltalake"

    def __init__(self, store: S3, handle: Any = None) -> None:
        self._store = store

    @property
    def version(self) -> str:
        return version("deltalake")

    def query(self, metadata_location: str, predicate: Predicate | None) -> Answer:
        """As `Reader.query`. `planned` has the files that `file_uris` keeps for the predicate."""
        table = open_table(metadata_location, self._store)
        types = column_types(table)
        where = None if predicate is None else DATAFUSION.over(types).render(predicate)
        rows = sum(batch.num_rows for batch in table.scan([column_to_read(types, predicate)], where))
        try:
            return Answer(rows, planned_files(table, predicate))
        except NotPlanned as error:
            return Answer(rows, unknown_plan=str(error))

    def aggregate(self, metadata_location: str, asked: Sequence[Aggregate], shortcut: bool = True) -> Sequence[Any]:
        """As `AggregatingReader.aggregate`, by DataFusion. No setting of delta-rs turns its shortcut off."""
        if not shortcut:
            raise NotOffered
        table = open_table(metadata_location, self._store)
        query = in_sql(asked, "asked", DATAFUSION.over(column_types(table)))
        (batch,) = QueryBuilder().register("asked", table).execute(query).read_all().to_batches()
        return [column[0].as_py() for column in pa.record_batch(batch).columns]


def open_table(metadata_location: str, reach: DeltaReach) -> DeltaTable:
    """The table at the version of that commit."""
    root, version = delta_version(metadata_location)
    return _opened(version, *reach.delta(root))


def _opened(version: int, place: str, options: dict[str, str]) -> DeltaTable:
    return DeltaTable(place, version=version, storage_options=options or None)


def column_types(table: DeltaTable) -> dict[str, str]:
    """Top-level column -> Delta's name of its type."""
    return {field.name: str(getattr(field.type, "type", field.type)) for field in table.schema().fields}


def plan(reach: DeltaReach, metadata_location: str, predicates: Sequence[Predicate]) -> list[frozenset[str] | None]:
    """Addresses of the data files that `DeltaTable.file_uris` keeps for each predicate, spelled below the table's own.

    None for a predicate by which delta-rs skips no files, or whose literal the column's type cannot hold. Raises
    Refused if it cannot plan the table.
    """
    root, version = delta_version(metadata_location)
    reached = reach.delta(root)  # an error of this is ours
    try:
        table = _opened(version, *reached)
        place = _place(table)
        kept = [_kept(table, predicate) for predicate in predicates]
        return [one and frozenset(_below(root, place, uri) for uri in one) for one in kept]
    except Exception as error:  # any exception means that it cannot plan the table
        raise Refused(first_line(error)) from error


def _kept(table: DeltaTable, predicate: Predicate) -> frozenset[str] | None:
    try:
        return planned_files(table, predicate)
    except NotPlanned:
        return None


def _place(table: DeltaTable) -> str:
    """The folder that delta-rs opened, as it spells the files in it."""
    return table.table_uri.removeprefix("file://").rstrip("/")


def _below(root: str, place: str, uri: str) -> str:
    return root + uri.removeprefix(place) if uri.startswith(f"{place}/") else uri

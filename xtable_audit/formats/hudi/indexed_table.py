"""A Hudi table with its indexes, the queries run on it with Hudi's own reader, and its actual values without Hudi."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.formats.hudi.index import COLUMN_STATISTICS, Kind
from xtable_audit.model.predicate import And, Compare, Or, Predicate, columns_of
from xtable_audit.values.matching_rows import OPERATORS, holds

FILE = "_file"
PARTITION = "_partition"
"""Columns of `HudiStage.values` in addition to the table's own."""
Mode = Literal["off", "unlisted", "on"]
"""How Hudi's reader runs: skipping off; skipping and metadata table off; skipping on, with all indexes of the table."""


@dataclass(frozen=True, eq=False)
class HudiStage:
    """The table after one event of its history. It hashes by identity, and caches rely on that."""

    words: str
    indexed: frozenset[str]
    """The indexes that the table lists in `hoodie.table.metadata.partitions`."""
    values: pa.Table
    """Every row of every live base file. FILE is the file's path below the table, PARTITION its folder's."""
    index: pa.Table
    """Records with the schema `index.INDEX`."""
    empty: frozenset[str] = frozenset()
    """Live base files without rows, which `values` cannot name. They remain when all rows are deleted."""
    beside: frozenset[str] = frozenset()
    """Other files of the table: log files, and older or replaced base files that are not cleaned yet."""

    @property
    def has_logs(self) -> bool:
        """Whether the table has log files (MERGE_ON_READ). Rows then come from a base file merged with its logs."""
        return any(".log." in file for file in self.beside)

    @cached_property
    def files(self) -> frozenset[str]:
        """Every live base file."""
        return self.empty.union(self.values[FILE].unique().to_pylist())

    @cached_property
    def partitions(self) -> frozenset[str]:
        """Paths of the folders with a live base file."""
        return frozenset(partition_of(file) for file in self.files)

    def live(self, kind: Kind) -> list[str]:
        """What an index of this kind has records of: every live file, or every such partition, sorted."""
        return sorted(self.files if kind == COLUMN_STATISTICS else self.partitions)

    def of_rows(self, kind: Kind) -> pa.ChunkedArray:
        """The one of `live` that each row is in."""
        return self.values[FILE if kind == COLUMN_STATISTICS else PARTITION]

    @cached_property
    def partitioned_by(self) -> frozenset[str]:
        """The columns named in hive-style folders (`state=NY`); empty for other folders."""
        levels = [level for partition in self.partitions for level in partition.split("/")]
        return frozenset(level.partition("=")[0] for level in levels if "=" in level)


@dataclass(frozen=True)
class HudiTrial:
    """One query by Hudi's own reader over the newest stage. Files are paths below the table.

    If the reader refuses or fails, `error` holds the start of its message and the fields of an answer are None.
    """

    predicate: Predicate
    mode: Mode
    rows: int | None
    planned: frozenset[str] | None
    """The base files of the executed scan; None if they cannot be read from the plan."""
    live: int | None
    after_partition_statistics: int | None
    after_column_statistics: int | None
    partitions: tuple[str, ...] | None
    """The partitions that the partition stats index keeps; None if Hudi does not use it."""
    read: frozenset[str] | None
    """Files requested from the store, by its request log; None for tables on local disk."""
    seconds: float
    error: str | None = None


@dataclass(frozen=True)
class HudiCase:
    """A Hudi table under audit. `id` is `<dataset>-hudi<release>`, the id that users type after `-k`."""

    id: str
    release: str
    stages: tuple[HudiStage, ...]
    trials: tuple[HudiTrial, ...]

    @property
    def newest(self) -> HudiStage:
        return self.stages[-1]

    @property
    def answered(self) -> Iterator[HudiTrial]:
        """Trials with an answer."""
        return (trial for trial in self.trials if trial.error is None and trial.rows is not None)


def partition_of(file: str) -> str:
    """The path of a file's folder below the table; "" for a table without partitions."""
    folder = PurePosixPath(file).parent.as_posix()
    return "" if folder == "." else folder


def columns(stage: HudiStage) -> frozenset[str]:
    """The table's top-level columns."""
    return frozenset(stage.values.column_names) - {FILE, PARTITION}


@lru_cache(maxsize=4096)
def column_values(stage: HudiStage, column: str) -> pa.ChunkedArray | None:
    """The values of a column, given by its dotted path if inside structs; None if the table lacks it."""
    root, _, inside = (column, "", "") if column in stage.values.column_names else column.partition(".")
    if root not in columns(stage):
        return None
    values = stage.values[root]
    for name in filter(None, inside.split(".")):
        if not pa.types.is_struct(values.type) or values.type.get_field_index(name) < 0:
            return None
        values = pc.struct_field(values, name)
    return values.cast(values.type.value_type) if pa.types.is_dictionary(values.type) else values


@lru_cache(maxsize=4096)
def actual_metrics(stage: HudiStage, kind: Kind, column: str) -> pa.Table:
    """The column of `ActualMetrics.columns`, one row per live file or partition, in the order of `stage.live`.

    Raises KeyError if the table lacks the column.
    """
    values = column_values(stage, column)
    if values is None:
        raise KeyError(f"no column {column!r} in {stage.words}")
    null = pc.is_null(values)
    nan = pc.xor(pc.is_null(values, nan_is_null=True), null)
    numbers = pc.if_else(nan, pa.scalar(None, values.type), values)
    seen = {"value": numbers, "null": null.cast(pa.int64()), "nan": nan.cast(pa.int64())}
    measures = [("value", "min"), ("value", "max"), ("of", "count"), ("null", "sum"), ("nan", "sum")]
    grouped = pa.table({"of": stage.of_rows(kind)} | seen).group_by("of").aggregate(measures)
    found = grouped.take(pc.index_in(pa.array(stage.live(kind), pa.string()), grouped["of"].combine_chunks()))
    counts = {"value_count": "of_count", "null_count": "null_sum", "nan_count": "nan_sum"}
    return pa.table(
        {"min": found["value_min"], "max": found["value_max"]}
        | {name: found[counted].fill_null(0) for name, counted in counts.items()}
    )


@lru_cache(maxsize=4096)
def matching(stage: HudiStage, predicate: Predicate) -> Mapping[str, int]:
    """The number of matching rows per matching file, by SQL's three-valued logic.

    Raises KeyError if the table lacks a column of the predicate.
    """
    values = {}
    for column in columns_of(predicate):
        typed = column_values(stage, column)
        if typed is None:
            raise KeyError(f"no column {column!r} to ask for in {stage.words}")
        values[column] = typed
    counted = stage.values.select([FILE]).filter(_holds_in_spark(predicate, values)).group_by(FILE)
    found = counted.aggregate([([], "count_all")])
    return MappingProxyType(dict(zip(found[FILE].to_pylist(), found["count_all"].to_pylist(), strict=True)))


def _holds_in_spark(predicate: Predicate, values: dict[str, pa.ChunkedArray]) -> pa.ChunkedArray:
    """As `matching_rows.holds`, but in Spark's order: NaN equals itself and is greater than every other number.

    Source: Spark SQL reference, Data Types, NaN Semantics.
    """
    match predicate:
        case And(left, right):
            return pc.and_kleene(_holds_in_spark(left, values), _holds_in_spark(right, values))
        case Or(left, right):
            return pc.or_kleene(_holds_in_spark(left, values), _holds_in_spark(right, values))
        case Compare(column, operator, value) if pa.types.is_floating(values[column].type):
            nan = pc.is_nan(values[column])
            if value != value:
                return OPERATORS[operator](nan, pa.scalar(True))
            found = holds(predicate, values)
            return pc.or_(found, nan) if operator in (">", ">=") else found
    return holds(predicate, values)

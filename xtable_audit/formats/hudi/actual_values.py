"""Actual values of a Hudi table: per file, per partition and per predicate, computed without Hudi."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.formats.hudi.index import Kind
from xtable_audit.formats.hudi.indexed_table import FILE, PARTITION, HudiStage
from xtable_audit.model.predicate import And, Compare, Or, Predicate, columns_of
from xtable_audit.values.matching_rows import OPERATORS, holds


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

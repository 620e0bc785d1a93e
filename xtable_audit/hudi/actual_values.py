"""Actual values of a Hudi table: per file, per partition and per predicate, computed without Hudi."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.hudi.case import FILE, PARTITION, HudiCase, HudiStage
from xtable_audit.model.predicate import And, Compare, Or, Predicate, columns_of
from xtable_audit.values.matching_rows import holds

Kind = Literal["column_stats", "partition_stats"]
COLUMN_STATISTICS: Kind = "column_stats"
PARTITION_STATISTICS: Kind = "partition_stats"
"""Hudi's names of its indexes of bounds, per file and per partition."""


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
def actual_metrics_of(stage: HudiStage, kind: Kind, column: str) -> pa.Table:
    """One row per live file or partition: `of`, `min` and `max` (typed, without NaN), `rows`, `nulls`, `nans`.

    Strings and bytes compare as unsigned bytes. Raises KeyError if the table lacks the column.
    """
    values = column_values(stage, column)
    if values is None:
        raise KeyError(f"no column {column!r} in {stage.words}")
    nan = pc.is_nan(values).fill_null(False) if pa.types.is_floating(values.type) else None
    seen = pa.table(
        {
            "of": stage.values[FILE if kind == COLUMN_STATISTICS else PARTITION],
            "value": values if nan is None else pc.if_else(nan, pa.scalar(None, values.type), values),
            "null": pc.is_null(values).cast(pa.int64()),
            "nan": pa.repeat(pa.scalar(0), len(values)) if nan is None else nan.cast(pa.int64()),
        }
    )
    measures = [("value", "min"), ("value", "max"), ("of", "count"), ("null", "sum"), ("nan", "sum")]
    grouped = seen.group_by("of").aggregate(measures)
    of = pa.array(sorted(stage.files if kind == COLUMN_STATISTICS else stage.partitions), pa.string())
    found = grouped.take(pc.index_in(of, grouped["of"].combine_chunks()))
    counts = {name: found[grown].fill_null(0) for name, grown in COUNTS.items()}
    return pa.table({"of": of, "min": found["value_min"], "max": found["value_max"]} | counts)


COUNTS = MappingProxyType({"rows": "of_count", "nulls": "null_sum", "nans": "nan_sum"})


def matching(case: HudiCase, predicate: Predicate) -> Mapping[str, int]:
    """The number of matching rows per matching file of the newest stage, by SQL's three-valued logic.

    Raises KeyError if the table lacks a column of the predicate.
    """
    return _matching(case.newest, predicate)


def matching_files(case: HudiCase, predicate: Predicate) -> frozenset[str]:
    """The matching files of the newest stage."""
    return frozenset(matching(case, predicate))


@lru_cache(maxsize=4096)
def _matching(stage: HudiStage, predicate: Predicate) -> Mapping[str, int]:
    values = {}
    for column in columns_of(predicate):
        typed = column_values(stage, column)
        if typed is None:
            raise KeyError(f"no column {column!r} to ask for in {stage.words}")
        values[column] = typed
    counted = stage.values.select([FILE]).filter(as_spark_holds(predicate, values)).group_by(FILE)
    found = counted.aggregate([([], "count_all")])
    return MappingProxyType(dict(zip(found[FILE].to_pylist(), found["count_all"].to_pylist(), strict=True)))


def as_spark_holds(predicate: Predicate, values: dict[str, Any]) -> pa.ChunkedArray:
    """As `matching_rows.holds`, but in Spark's order: NaN equals itself and is greater than every other number.

    Source: Spark SQL reference, Data Types, NaN Semantics.
    """
    match predicate:
        case And(left, right):
            return pc.and_kleene(as_spark_holds(left, values), as_spark_holds(right, values))
        case Or(left, right):
            return pc.or_kleene(as_spark_holds(left, values), as_spark_holds(right, values))
        case Compare(column, operator, value) if pa.types.is_floating(values[column].type):
            nan = pc.is_nan(values[column])
            if value != value:
                return {
                    "=": nan,
                    "!=": pc.invert(nan),
                    "<": pc.invert(nan),
                    "<=": pc.or_(nan, pc.invert(nan)),
                    ">": pc.and_(nan, pc.invert(nan)),
                    ">=": nan,
                }[operator]
            found = holds(predicate, values)
            return pc.or_(found, nan) if operator in (">", ">=") else found
    return holds(predicate, values)

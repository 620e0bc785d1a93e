"""The control translator of Delta: delta-rs commits the same base files, with statistics from their footers.

Its `convert_to_deltalake` cannot: it takes every Parquet file below a folder, those of Hudi's older file slices too,
and refuses files that hold the column that they are partitioned by, as Hudi's do.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

Columns = Mapping[str, Sequence[pq.ColumnChunkMetaData]]
"""The chunks of each column outside structs, lists and maps: one a row group."""


def commit(tree: Path, base_files: Collection[str], partition_by: Sequence[str], folder: Path) -> None:
    """Writes `folder/_delta_log` for the table of these files below `tree`. The schema is the files' own.

    Raises ValueError for a file with rows of several partitions.
    """
    from deltalake import Schema  # late: a collection translates nothing
    from deltalake.transaction import AddAction, create_table_with_add_actions

    adds = []
    for path in sorted(base_files):
        file, footer = (tree / path).stat(), pq.read_metadata(tree / path)
        columns = _columns(footer)
        values = {name: _partition_value(path, name, columns[name]) for name in partition_by}
        own = {name: chunks for name, chunks in columns.items() if name not in values}
        stats = _statistics(footer.num_rows, own)
        adds.append(AddAction(path, file.st_size, values, file.st_mtime_ns // 1_000_000, data_change=True, stats=stats))
    schema = Schema.from_arrow(footer.schema.to_arrow_schema().remove_metadata())
    create_table_with_add_actions(str(folder), schema, adds, partition_by=list(partition_by))


def _columns(footer: pq.FileMetaData) -> Columns:
    names = footer.schema.to_arrow_schema().names
    groups = [footer.row_group(number) for number in range(footer.num_row_groups)]
    chunks = ([group.column(number) for group in groups] for number in range(footer.num_columns))
    return {own[0].path_in_schema: own for own in chunks if own and own[0].path_in_schema in names}


def _partition_value(path: str, name: str, chunks: Sequence[pq.ColumnChunkMetaData]) -> str:
    values = {value for chunk in chunks for value in (chunk.statistics.min, chunk.statistics.max)}
    if len(values) > 1:
        raise ValueError(f"{path} holds rows of several partitions: {name} is {' and '.join(sorted(map(str, values)))}")
    return str(values.pop())


def _statistics(rows: int, columns: Columns) -> str:
    """The `stats` of an `add` (Delta protocol, Per-file Statistics), with texts and timestamps in full."""
    parts = {"minValues": dict(_bounds(columns, "min")), "maxValues": dict(_bounds(columns, "max"))}
    nulls = {name: str(sum(chunk.statistics.null_count for chunk in chunks)) for name, chunks in columns.items()}
    members = {name: _object(part) for name, part in (parts | {"nullCount": nulls}).items()}
    return _object({"numRecords": str(rows), **members})


def _bounds(columns: Columns, side: str) -> Iterator[tuple[str, str]]:
    """The bound of each column as JSON, unless its values are nulls alone, or JSON has no form for it."""
    for name, chunks in columns.items():
        with_values = [chunk.statistics for chunk in chunks if chunk.statistics.null_count < chunk.num_values]
        if with_values and all(one.has_min_max for one in with_values):
            bounds = [getattr(one, side) for one in with_values]
            text = _json(min(bounds) if side == "min" else max(bounds))
            if text is not None:
                yield name, text


def _json(value: Any) -> str | None:
    match value:
        case bytes():
            return None
        case float() if not math.isfinite(value):
            return None
        case Decimal():
            return format(value, "f")
        case date():
            return json.dumps(value.isoformat().replace("+00:00", "Z"))
    return json.dumps(value)


def _object(members: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{json.dumps(name)}: {text}" for name, text in members.items()) + "}"

"""Statistics files that metadata.json lists, and what they hold (Iceberg spec, Table and Partition Statistics)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyiceberg.schema import make_compatible_name

from xtable_audit.formats.iceberg.avro import parse_avro
from xtable_audit.formats.iceberg.delete_contents import footer_size, read_puffin
from xtable_audit.formats.iceberg.deletes import printed
from xtable_audit.model.malformed import Malformed, Unread, check_reachable, first_line
from xtable_audit.model.objects import USUAL, Objects
from xtable_audit.values.open_parquet import open_held
from xtable_audit.values.parquet import field_id

if TYPE_CHECKING:
    from pyiceberg.partitioning import PartitionSpec

Blob = tuple[str, int, int, tuple[int, ...]]
"""Of a statistic: its type, the id and sequence number of its snapshot, and its fields."""
Key = tuple[int, tuple[str, ...]]
"""A partition: the id of its spec, and the printed value of each partition field of the table, by field id."""
Counts = Mapping[str, int | None]


@dataclass(frozen=True)
class Listed:
    """An entry of `statistics` or `partition-statistics`."""

    snapshot: int
    path: str
    size: int
    footer_size: int | None = None
    blobs: tuple[Blob, ...] = ()
    encrypted: bool = False


@dataclass(frozen=True)
class StatisticsFile:
    """A statistics file, read; `malformed` says why it is not."""

    listed: Listed
    size: int | None
    """Of its object, in bytes; None if it does not exist."""
    malformed: str | None = None
    footer_size: int | None = None
    blobs: tuple[Blob, ...] = ()


@dataclass(frozen=True)
class PartitionStatisticsFile:
    """A partition statistics file. Its rows are read if it is of the current snapshot."""

    listed: Listed
    size: int | None
    malformed: str | None = None
    partitions: tuple[tuple[Key, Counts], ...] | None = None
    """In its own order. None if it is not read."""
    in_order: bool = True
    """Whether the rows are in the order of their partitions, nulls first."""


@dataclass(frozen=True)
class Statistics:
    """All statistics files of a table."""

    tables: tuple[StatisticsFile, ...] = ()
    partitions: tuple[PartitionStatisticsFile, ...] = ()


NO_STATISTICS = Statistics()


def listed_statistics(entries: Iterable[Mapping[str, Any]], location: str) -> tuple[Listed, ...]:
    """Of the parsed metadata.json at `location`. Raises Malformed for an entry that lacks a required field."""
    try:
        return tuple(map(_listed, entries))
    except (KeyError, TypeError, AttributeError) as error:
        raise Malformed(location, f"lists statistics without {error}") from error


def _listed(entry: Mapping[str, Any]) -> Listed:
    blobs = tuple(
        (one["type"], one["snapshot-id"], one["sequence-number"], tuple(one["fields"]))
        for one in entry.get("blob-metadata", ())
    )
    return Listed(
        entry["snapshot-id"],
        entry["statistics-path"],
        entry["file-size-in-bytes"],
        entry.get("file-footer-size-in-bytes"),
        blobs,
        entry.get("key-metadata") is not None,
    )


def read_statistics(
    objects: Objects,
    tables: Sequence[Listed],
    partitions: Sequence[Listed],
    current: int | None,
    specs: Iterable[PartitionSpec],
) -> Statistics:
    """`current`: id of the current snapshot. `specs`: all specs of the table. Raises Malformed if the store fails."""
    names = partition_fields(specs)
    return Statistics(
        tuple(_table(objects, one) for one in tables),
        tuple(_partitions(objects, one, names if one.snapshot == current else None) for one in partitions),
    )


def partition_fields(specs: Iterable[PartitionSpec]) -> dict[int, str]:
    """The fields of the unified partition type, by id and in its order."""
    named = {field.field_id: field.name for spec in specs for field in spec.fields}
    return dict(sorted(named.items()))


def _table(objects: Objects, listed: Listed) -> StatisticsFile:
    size = objects.size(listed.path)
    if size is None or listed.encrypted:
        return StatisticsFile(listed, size)
    try:
        content = objects.read(listed.path)
        footer = read_puffin(listed.path, content).footer
    except Unread:
        raise
    except Malformed as error:
        return StatisticsFile(listed, size, error.reason)
    blobs = tuple((one.type, one.snapshot_id, one.sequence_number, tuple(one.fields)) for one in footer.blobs)
    return StatisticsFile(listed, size, None, footer_size(content), blobs)


def _partitions(objects: Objects, listed: Listed, names: Mapping[int, str] | None) -> PartitionStatisticsFile:
    size = objects.size(listed.path)
    if size is None or names is None:
        return PartitionStatisticsFile(listed, size)
    try:
        rows = _rows(objects, listed.path)
        keys = list(_keys(listed.path, rows, names))
    except Unread:
        raise
    except Malformed as error:
        return PartitionStatisticsFile(listed, size, error.reason)
    counts = [name for name in COUNTS if name in rows.column_names]
    counted = zip(keys, rows.select(counts).to_pylist(), strict=True)
    partitions = tuple((key, numbers) for (key, _), numbers in counted)
    return PartitionStatisticsFile(listed, size, None, partitions, _in_order([values for _, values in keys]))


COUNTS = (
    *("data_record_count", "data_file_count", "total_data_file_size_in_bytes", "position_delete_record_count"),
    *("position_delete_file_count", "dv_count", "equality_delete_record_count", "equality_delete_file_count"),
    "total_record_count",
)
"""Columns of a partition statistics file, by name: Iceberg 1.9 gives them other ids than the specification."""


def _rows(objects: Objects, path: str) -> pa.Table:
    try:
        if path.endswith(".avro"):
            return parse_avro(path, objects.read(path))
        return objects.within(lambda: _of_columns(objects, path), USUAL)
    except (pa.ArrowException, OSError) as error:
        check_reachable(path, error)
        raise Malformed(path, f"cannot be read as partition statistics: {first_line(error)}") from error


def _of_columns(objects: Objects, path: str) -> pa.Table:
    with objects.open(path) as source:
        if path.endswith(".orc"):
            from pyarrow.orc import ORCFile  # late: few tables have any

            return ORCFile(source).read()
        return open_held(source).read()


def _keys(path: str, rows: pa.Table, names: Mapping[int, str]) -> Iterator[tuple[Key, tuple[Any, ...]]]:
    """The key of each row, and its values."""
    if {"partition", "spec_id"} - {*rows.column_names}:
        raise Malformed(path, "cannot be read as partition statistics: it has no partition and spec_id")
    of_struct = rows.schema.field("partition").type
    ids = {field_id(one): one.name for one in of_struct if field_id(one) in names}
    held = {one.name for one in of_struct}
    columns = {
        id: ids.get(id) or next((known for known in (name, make_compatible_name(name)) if known in held), None)
        for id, name in names.items()
    }
    for spec, partition in zip(rows["spec_id"].to_pylist(), rows["partition"].to_pylist(), strict=True):
        values = tuple(None if name is None else partition[name] for name in columns.values())
        yield (spec, tuple(map(printed, values))), values


def _in_order(keys: Sequence[tuple[Any, ...]]) -> bool:
    ranks = [tuple((value is not None, math.inf if value != value else value) for value in key) for key in keys]
    return all(one <= other for one, other in pairwise(ranks))

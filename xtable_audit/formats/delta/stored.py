"""Reads what a Delta log says of each live data file, from the log's own text, as the stored metrics of claims."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa

from xtable_audit.formats.delta.actions import AddAction
from xtable_audit.formats.delta.indexed import indexed
from xtable_audit.formats.delta.log import DeltaLog, read_log
from xtable_audit.formats.delta.logged_metrics import (
    Marks,
    TypedColumn,
    faults_of_counts,
    is_tight_without_rows,
    statistics_of,
)
from xtable_audit.formats.delta.partition_values import Derived, derived_partitions, partitioning
from xtable_audit.formats.delta.schema import DeltaColumn
from xtable_audit.formats.delta.statistics import FileStatistics, as_count, at
from xtable_audit.formats.delta.table import DeltaTable, id_of, mapping_mode, with_stored_names
from xtable_audit.formats.delta.types import arrow_of
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.source import Undetermined
from xtable_audit.model.columns import Leaf
from xtable_audit.model.delta_version import delta_version
from xtable_audit.model.figures import many
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem, Unreachable
from xtable_audit.model.set_aside import SetAside
from xtable_audit.table.delete_files import POSITION, PUFFIN, DeleteFile
from xtable_audit.table.deletions import NO_DELETIONS, Deletions, apply
from xtable_audit.table.plain_files import demand_inside, files_table
from xtable_audit.table.stored_metrics import StoredMetrics

UNPARTITIONED = (0, ())
OF_ROWS_LEFT = (
    "bounds and null counts of {files} with a deletion vector are not compared: they are of the rows that are left, "
    "and values are read of all (Delta protocol, tightBounds)"
)
WIDE = (
    "null counts of {files} with a deletion vector say nothing but none and all, and bounds are held against all rows, "
    "deleted ones among them (Delta protocol, tightBounds false)"
)


def read_delta(objects: Objects, location: str) -> StoredMetrics:
    """The table after the commit at `location`, which need not be there if a checkpoint is. Raises Malformed."""
    root, version = delta_version(location)
    folder = TableFolder(root, objects)
    try:
        log = read_log(folder, version)
    except Unreachable:
        raise
    except (Problem, Undetermined) as error:
        raise Malformed(location, f"cannot be read: {error}") from error
    return _stored(folder, location, log)


def _stored(folder: TableFolder, location: str, log: DeltaLog) -> StoredMetrics:
    adds = tuple(log.adds.values())
    paths = [folder.address(add.name) for add in adds]
    demand_inside(folder.objects, location, paths)
    mode = mapping_mode(log.metadata, log.protocol)
    columns = with_stored_names(log.metadata.columns, mode)
    partitions = set(log.metadata.partition_by)
    derived = derived_partitions(columns, log.metadata.partition_by)
    leaves = tuple(leaf for leaf in _leaves(columns, mode) if leaf.path not in derived)
    kept = indexed(columns, partitions, log.metadata.settings)
    read = [statistics_of(path, add) for path, add in zip(paths, adds, strict=True)]
    statistics = [one for one, _ in read]
    faults = [fault for _, fault in read if fault is not None]
    tables, why, marks = {}, {}, Marks()
    by_path = {one.path: one for one in columns}
    tight = [is_tight_without_rows(add, one) for add, one in zip(adds, statistics, strict=True)]
    for leaf in leaves:
        column = by_path[leaf.path]
        typed = TypedColumn(column, leaf.arrow)
        for path, one, is_tight in zip(paths, statistics, tight, strict=True):
            typed.take(path, None if is_tight else one)
        tables[leaf.path], words = typed.table, typed.undecodable
        faults += typed.faults
        if words.null_count < len(words):
            why[leaf.path] = words
        partitioned = column.names[0] in partitions and len(column.names) == 1
        marks.add(leaf.path, typed, everywhere=partitioned or column.names not in kept, kind=column.type, tight=tight)
    for column in columns:
        if not column.is_leaf and column.type != "struct":
            faults += faults_of_counts(column, paths, statistics)
    native = DeltaTable(folder.root, log, dict(zip(paths, adds, strict=True)), columns, tuple(faults))
    aside = tuple(_set_aside(columns, derived))
    of_vectors = tuple(_of_vectors([by_path[leaf.path] for leaf in leaves], adds, statistics))
    return StoredMetrics(
        location,
        native,
        leaves,
        _files(location, paths, adds, statistics),
        (partitioning(leaves, columns, log.metadata.partition_by, derived, adds),),
        tables,
        len(native.vectors),
        _deletions(folder, location, paths, adds),
        (*aside, *of_vectors),
        frozenset(one.column.partition(".")[0] for one in aside if one.column is not None),
        undecodable=why,
        latitude=marks.latitude,
    )


def _leaves(columns: Sequence[DeltaColumn], mode: str) -> Iterator[Leaf]:
    ids = {one.names: id_of(one, place, mode) for place, one in enumerate(columns, start=1)}
    for one in columns:
        arrow = arrow_of(one.type) if one.is_leaf else None
        if arrow is not None:
            yield Leaf(ids[one.names], one.path, one.type, arrow, parent=ids.get(one.names[:-1]))


def _set_aside(columns: Sequence[DeltaColumn], derived: Mapping[str, Derived]) -> Iterator[SetAside]:
    for name, (source, transform) in derived.items():
        yield SetAside(f"generated as the {transform} of {source}, which its partition values are held against", name)
    for one in columns:
        if one.is_leaf and arrow_of(one.type) is None:
            yield SetAside(f"values of type {one.type} are not judged", column=one.path)


def _of_vectors(
    columns: Sequence[DeltaColumn], adds: Sequence[AddAction], statistics: Sequence[FileStatistics | None]
) -> Iterator[SetAside]:
    """What is not compared of files with a deletion vector, for each column that they have statistics of."""
    each = [one for add, one in zip(adds, statistics, strict=True) if add.deletion_vector is not None and one]
    for column in columns:
        told = [one for one in each if _is_told(column, one)]
        tight = sum(one.tight for one in told)
        for words, files in ((OF_ROWS_LEFT, tight), (WIDE, len(told) - tight)):
            if files:
                yield SetAside(words.format(files=many(files, "file")), column=column.path)


def _is_told(column: DeltaColumn, statistics: FileStatistics) -> bool:
    parts = (statistics.lower, statistics.upper, statistics.nulls)
    return any(at(one, column.stored) is not None for one in parts)


def _files(
    location: str, paths: list[str], adds: Sequence[AddAction], statistics: Sequence[FileStatistics | None]
) -> pa.Table:
    rows = [None if one is None else as_count(one.rows) for one in statistics]
    return files_table(location, paths, [add.size for add in adds], rows)


def _deletions(folder: TableFolder, location: str, paths: Sequence[str], adds: Sequence[AddAction]) -> Deletions:
    """Each deletion vector as a delete file; one that is in the log itself has the log's address."""
    vectors = []
    for path, add in zip(paths, adds, strict=True):
        vector = add.deletion_vector
        if vector is not None:
            try:
                address = vector.address(folder) or location
            except ValueError as error:
                raise Malformed(location, f"has a deletion vector that is not Delta's: {error}") from error
            vectors.append(
                DeleteFile(
                    *(address, POSITION, PUFFIN, 0, UNPARTITIONED),
                    referenced=path,
                    record_count=vector.cardinality or 0,
                    offset=vector.offset,
                    length=vector.size_in_bytes,
                )
            )
    if not vectors:
        return NO_DELETIONS
    return apply(vectors, ((path, 0, UNPARTITIONED) for path in paths), frozenset())

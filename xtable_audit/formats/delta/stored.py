"""Reads what a Delta log says of each live data file, from the log's own text, as the stored metrics of claims."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

import pyarrow as pa

from xtable_audit.formats.delta.actions import AddAction
from xtable_audit.formats.delta.indexed import indexed
from xtable_audit.formats.delta.log import DeltaLog, read_log
from xtable_audit.formats.delta.logged_metrics import (
    Marks,
    TypedColumn,
    faults_of_counts,
    statistics_of,
)
from xtable_audit.formats.delta.partition_values import Derived, derived_partitions, partitioning
from xtable_audit.formats.delta.schema import DeltaColumn
from xtable_audit.formats.delta.statistics import FileStatistics, as_count
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
from xtable_audit.model.wanted import VECTOR, Vector
from xtable_audit.table.delete_files import POSITION, PUFFIN, DeleteFile
from xtable_audit.table.deletions import NO_DELETIONS, Deletions, apply
from xtable_audit.table.plain_files import demand_inside, files_table
from xtable_audit.table.stored_metrics import StoredMetrics

UNPARTITIONED = (0, ())
VAGUE = (
    "null counts of {files} with wide bounds are not compared: one that is neither none nor all says nothing (Delta "
    "protocol, tightBounds)"
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
    tables, why, vague, marks = {}, {}, [], Marks()
    by_path = {one.path: one for one in columns}
    for leaf in leaves:
        column = by_path[leaf.path]
        typed = TypedColumn(column, leaf.arrow)
        for path, one in zip(paths, statistics, strict=True):
            typed.take(path, one)
        tables[leaf.path], words = typed.table, typed.undecodable
        faults += typed.faults
        if typed.vague:
            vague.append(SetAside(VAGUE.format(files=many(typed.vague, "file")), column=leaf.path))
        if words.null_count < len(words):
            why[leaf.path] = words
        partitioned = column.names[0] in partitions and len(column.names) == 1
        marks.add(leaf.path, typed, everywhere=partitioned or column.names not in kept, kind=column.type)
    for column in columns:
        if not column.is_leaf and column.type != "struct":
            faults += faults_of_counts(column, paths, statistics)
    vectors = [_vector(folder, location, add) for add in adds]
    native = DeltaTable(folder.root, log, dict(zip(paths, adds, strict=True)), columns, tuple(faults))
    aside = tuple(_set_aside(columns, derived))
    return StoredMetrics(
        location,
        native,
        leaves,
        _files(location, paths, adds, statistics, vectors),
        (partitioning(leaves, columns, log.metadata.partition_by, derived, adds),),
        tables,
        len(native.vectors),
        _deletions(paths, adds, vectors),
        (*aside, *vague),
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


def _vector(folder: TableFolder, location: str, add: AddAction) -> Vector | None:
    try:
        return add.deletion_vector.vector(folder, location) if add.deletion_vector is not None else None
    except ValueError as error:
        raise Malformed(location, f"has a deletion vector that is not Delta's: {error}") from error


def _files(
    location: str,
    paths: list[str],
    adds: Sequence[AddAction],
    statistics: Sequence[FileStatistics | None],
    vectors: Sequence[Vector | None],
) -> pa.Table:
    rows = [None if one is None else as_count(one.rows) for one in statistics]
    files = files_table(location, paths, [add.size for add in adds], rows)
    if not any(vectors):
        return files
    return files.append_column("vector", pa.array([one and asdict(one) for one in vectors], VECTOR))


def _deletions(paths: Sequence[str], adds: Sequence[AddAction], vectors: Sequence[Vector | None]) -> Deletions:
    """Each deletion vector as a delete file; one that is in the log itself has the log's address."""
    found = [
        DeleteFile(
            *(vector.path, POSITION, PUFFIN, 0, UNPARTITIONED),
            referenced=path,
            record_count=descriptor.cardinality or 0,
            offset=descriptor.offset,
            length=descriptor.size_in_bytes,
        )
        for path, add, vector in zip(paths, adds, vectors, strict=True)
        if (descriptor := add.deletion_vector) is not None and vector is not None
    ]
    if not found:
        return NO_DELETIONS
    return apply(found, ((path, 0, UNPARTITIONED) for path in paths), frozenset())

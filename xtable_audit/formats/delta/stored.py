"""Reads what a Delta log says of each live data file, from the log's own text, as the stored metrics of claims."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import pyarrow as pa

from xtable_audit.formats.delta.actions import AddAction
from xtable_audit.formats.delta.log import DeltaLog, read_log
from xtable_audit.formats.delta.partition_values import Derived, derived_partitions, partitioning
from xtable_audit.formats.delta.schema import DeltaColumn
from xtable_audit.formats.delta.statistics import FileStatistics, LoggedNumber, as_count, at, quoted
from xtable_audit.formats.delta.table import DeltaTable, LogFault, id_of, indexed, mapping_mode, with_stored_names
from xtable_audit.formats.delta.types import BINARY, UNORDERED, NoValue, array_of, arrow_of, in_statistics
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.source import Undetermined
from xtable_audit.model.columns import Leaf
from xtable_audit.model.delta_version import delta_version
from xtable_audit.model.figures import many
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem, Unreachable
from xtable_audit.model.result import SetAside
from xtable_audit.model.scan_input import VECTOR, Vector
from xtable_audit.table.deletions import NO_DELETIONS, POSITION, PUFFIN, DeleteFile, Deletions, apply
from xtable_audit.table.optional_metrics import OptionalMetrics
from xtable_audit.table.partitions import TransformKind
from xtable_audit.table.plain_table import demand_inside, files_table
from xtable_audit.table.stored_metrics import StoredMetrics


def statistics_of(path: str, add: AddAction) -> tuple[FileStatistics | None, LogFault | None]:
    try:
        return add.statistics, None
    except ValueError as error:
        saw = f"statistics {quoted(add.stats or '')} of {add.name.rpartition('/')[2]}: {error}"
        return None, LogFault(path, saw, "statistics as Delta writes them, in JSON")


def faults_of_counts(
    column: DeltaColumn, paths: Sequence[str], statistics: Sequence[FileStatistics | None]
) -> Iterator[LogFault]:
    """Null counts of lists and maps that are none."""
    for path, one in zip(paths, statistics, strict=True):
        if one is not None:
            fault = _fault_of_count(path, column, at(one.nulls, column.stored))
            if fault is not None:
                yield fault


def _fault_of_count(path: str, column: DeltaColumn, logged: Any) -> LogFault | None:
    if logged is None or as_count(logged) is not None:
        return None
    number = "a number of rows" if isinstance(logged, LoggedNumber) else "a number"
    return LogFault(
        path, f"nullCount {quoted(logged)}", f"{number}, as {column.path} is of type {column.type}", column.path
    )


class TypedColumn:
    """The stored metrics of one column, taken file by file."""

    def __init__(self, column: DeltaColumn, arrow: pa.DataType) -> None:
        self.column, self.arrow = column, arrow
        self.values: dict[str, list[Any]] = {name: [] for name in ("lower", "upper", "value_count", "null_count")}
        self.why: list[str | None] = []
        self.faults: list[LogFault] = []
        self.wide: list[bool] = []
        self.vague = 0
        """Files whose null count says nothing: of wide statistics, one that is neither none nor all."""

    def take(self, path: str, statistics: FileStatistics | None) -> None:
        """A file's statistics; None if it has none."""
        self.why.append(None)
        rows = as_count(statistics.rows) if statistics is not None else None
        nulls = None
        bounds: list[Any] = [None, None]
        if statistics is not None:
            nulls = self._nulls(path, statistics, rows)
            if self.column.type not in UNORDERED:
                bounds = [self._bound(at(side, self.column.stored)) for side in (statistics.lower, statistics.upper)]
        for name, value in zip(self.values, (*bounds, rows, nulls), strict=True):
            self.values[name].append(value)
        self.wide.append(statistics is not None and not statistics.tight)

    def _nulls(self, path: str, statistics: FileStatistics, rows: int | None) -> int | None:
        """Of wide statistics only all and none count (Delta protocol, Per-file Statistics, nullCount)."""
        logged = at(statistics.nulls, self.column.stored)
        fault = _fault_of_count(path, self.column, logged)
        if fault is not None:
            self.faults.append(fault)
            return None
        nulls = as_count(logged)
        if statistics.tight or nulls in (None, 0, rows):
            return nulls
        self.vague += 1
        return None

    def _bound(self, logged: Any) -> Any:
        if logged is None:
            return None
        try:
            return in_statistics(logged, self.arrow)
        except NoValue:
            self.why[-1] = f"{quoted(logged)} is no value of type {self.column.type}"
            return None

    @property
    def table(self) -> pa.Table:
        arrays = {name: array_of(self.values[name], self.arrow) for name in ("lower", "upper")}
        arrays |= {name: pa.array(self.values[name], pa.int64()) for name in ("value_count", "null_count")}
        return pa.table(arrays | {"nan_count": pa.nulls(len(self.why), pa.int64())})

    @property
    def undecodable(self) -> pa.Array:
        return pa.array(self.why, pa.string())


@dataclass
class Marks:
    """What the log may leave out, by column."""

    bounds: dict[str, pa.Array] = field(default_factory=dict)
    counts: dict[str, pa.Array] = field(default_factory=dict)
    wide: dict[str, pa.Array] = field(default_factory=dict)

    def add(self, path: str, typed: TypedColumn, *, everywhere: bool, kind: str) -> None:
        if everywhere or kind in UNORDERED:
            self.bounds[path] = pa.array([True] * len(typed.wide), pa.bool_())
        empty = [rows == 0 for rows in typed.values["value_count"]]
        uncounted = [everywhere or wide or none or kind == BINARY for wide, none in zip(typed.wide, empty, strict=True)]
        if any(uncounted):
            self.counts[path] = pa.array(uncounted)
        if any(typed.wide):
            self.wide[path] = pa.array(typed.wide)

    @property
    def optional(self) -> OptionalMetrics:
        return OptionalMetrics(self.bounds, self.counts, self.wide)


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
        optional=marks.optional,
    )


def _leaves(columns: Sequence[DeltaColumn], mode: str) -> Iterator[Leaf]:
    ids = {one.names: id_of(one, place, mode) for place, one in enumerate(columns, start=1)}
    for one in columns:
        arrow = arrow_of(one.type) if one.is_leaf else None
        if arrow is not None:
            yield Leaf(ids[one.names], one.path, one.type, arrow, parent=ids.get(one.names[:-1]))


def _set_aside(columns: Sequence[DeltaColumn], derived: Mapping[str, Derived]) -> Iterator[SetAside]:
    for name, (source, transform) in derived.items():
        judged = transform.kind is not TransformKind.UNKNOWN
        held = ", which its partition values are held against" if judged else "; its partition values are not judged"
        yield SetAside(f"generated as the {transform} of {source}{held}", name)
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

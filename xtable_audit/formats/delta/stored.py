"""Reads what a Delta log says of each live data file, from the log's own text, as the stored metrics of claims."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from xtable_audit.formats.delta.actions import AddAction
from xtable_audit.formats.delta.checkpoint import LOG
from xtable_audit.formats.delta.indexed import indexed
from xtable_audit.formats.delta.log import DeltaLog, read_log
from xtable_audit.formats.delta.schema import DeltaColumn
from xtable_audit.formats.delta.statistics import FileStatistics, LoggedNumber, at
from xtable_audit.formats.delta.table import DeltaTable, LogFault, id_of, mapping_mode, with_stored_names
from xtable_audit.formats.delta.types import BINARY, UNORDERED, NoValue, array_of, arrow_of, in_partition, in_statistics
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.source import Undetermined
from xtable_audit.model.columns import Leaf
from xtable_audit.model.malformed import Malformed, Outside
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem, Unreachable
from xtable_audit.model.set_aside import SetAside
from xtable_audit.table.delete_files import PARQUET, POSITION, PUFFIN, DeleteFile
from xtable_audit.table.deletions import NO_DELETIONS, Deletions, apply
from xtable_audit.table.latitude import Latitude
from xtable_audit.table.partitions import Kind, PartitionField, Partitioning
from xtable_audit.table.stored_metrics import StoredMetrics

LOCATION = re.compile(rf"(?P<root>.+)/{LOG}/(?P<version>\d{{20}})\.json")
COUNT = re.compile(r"\d{1,18}")
LONGEST = 60
"""Characters of a value that are quoted."""
UNPARTITIONED = (0, ())


def is_delta(location: str) -> bool:
    """Whether it is the address of a commit in a Delta log."""
    return LOCATION.fullmatch(location) is not None


def read_delta(objects: Objects, location: str) -> StoredMetrics:
    """The table after the commit at `location`, which need not be there if a checkpoint is. Raises Malformed."""
    found = LOCATION.fullmatch(location)
    assert found is not None, f"{location} is no commit of a Delta log"
    folder = TableFolder(found["root"], objects)
    try:
        log = read_log(folder, int(found["version"]))
    except Unreachable:
        raise
    except (Problem, Undetermined) as error:
        raise Malformed(location, f"cannot be read: {error}") from error
    return _stored(folder, location, log)


def _stored(folder: TableFolder, location: str, log: DeltaLog) -> StoredMetrics:
    adds = tuple(log.adds.values())
    paths = [folder.address(add.name) for add in adds]
    if (outside := folder.objects.first_outside(pa.array(paths, pa.string()))) is not None:
        raise Outside(location, f"names the data file {paths[outside[0]]}, {outside[1]}")
    mode = mapping_mode(log.metadata, log.protocol)
    columns = with_stored_names(log.metadata.columns, mode)
    leaves = tuple(_leaves(columns, mode))
    partitions = set(log.metadata.partition_by)
    kept = indexed(columns, partitions, log.metadata.settings)
    read = [_statistics(place, add) for place, add in enumerate(adds)]
    statistics = [one for one, _ in read]
    faults = [fault for _, fault in read if fault is not None]
    tables, why, marks = {}, {}, _Marks()
    by_path = {one.path: one for one in columns}
    tight = [_is_tight_without_rows(add, one) for add, one in zip(adds, statistics, strict=True)]
    for leaf in leaves:
        column = by_path[leaf.path]
        typed = _Typed(column, leaf.arrow)
        for place, one in enumerate(statistics):
            typed.take(place, None if tight[place] else one)
        tables[leaf.path], words = typed.table, typed.undecodable
        faults += typed.faults
        if words.null_count < len(words):
            why[leaf.path] = words
        partitioned = column.names[0] in partitions and len(column.names) == 1
        marks.add(leaf.path, typed, everywhere=partitioned or column.names not in kept, kind=column.type, tight=tight)
    for column in columns:
        if not column.is_leaf and column.type != "struct":
            faults += _of_counts(column, statistics)
    vectors = {path: add.deletion_vector for path, add in zip(paths, adds, strict=True) if add.deletion_vector}
    native = DeltaTable(folder.root, log, adds, columns, vectors, tuple(sorted(faults, key=lambda one: one.place)))
    aside = tuple(_set_aside(columns, tight))
    return StoredMetrics(
        location,
        native,
        leaves,
        _files(location, paths, adds, statistics),
        (_partitioning(leaves, columns, log.metadata.partition_by, adds),),
        tables,
        len(vectors),
        _deletions(folder, location, paths, adds),
        aside,
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


def _set_aside(columns: Sequence[DeltaColumn], tight: Sequence[bool]) -> Iterator[SetAside]:
    for one in columns:
        if one.is_leaf and arrow_of(one.type) is None:
            yield SetAside(f"values of type {one.type} are not judged", column=one.path)


def _is_tight_without_rows(add: AddAction, statistics: FileStatistics | None) -> bool:
    """Whether bounds and null counts are those of the rows that a deletion vector leaves."""
    return add.deletion_vector is not None and statistics is not None and statistics.tight


def _statistics(place: int, add: AddAction) -> tuple[FileStatistics | None, LogFault | None]:
    try:
        return add.statistics, None
    except ValueError as error:
        saw = f"statistics {quoted(add.stats or '')} of {add.name.rpartition('/')[2]}: {error}"
        return None, LogFault(place, saw, "statistics as Delta writes them, in JSON")


def _of_counts(column: DeltaColumn, statistics: Sequence[FileStatistics | None]) -> Iterator[LogFault]:
    """Null counts of lists and maps that are none."""
    for place, one in enumerate(statistics):
        if one is not None:
            fault = _fault_of_count(place, column, at(one.nulls, column.stored))
            if fault is not None:
                yield fault


def _fault_of_count(place: int, column: DeltaColumn, said: Any) -> LogFault | None:
    if said is None or (isinstance(said, LoggedNumber) and COUNT.fullmatch(said)):
        return None
    return LogFault(
        place, f"nullCount {quoted(said)}", f"a number, as {column.path} is of type {column.type}", column.path
    )


def quoted(value: Any) -> str:
    """A value of the log, as it is written there, shortened."""
    text = str(value) if isinstance(value, LoggedNumber) else repr(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


class _Typed:
    """The stored metrics of one column, taken file by file."""

    def __init__(self, column: DeltaColumn, arrow: pa.DataType) -> None:
        self.column, self.arrow = column, arrow
        self.values: dict[str, list[Any]] = {name: [] for name in ("lower", "upper", "value_count", "null_count")}
        self.why: list[str | None] = []
        self.faults: list[LogFault] = []
        self.wide: list[bool] = []

    def take(self, place: int, statistics: FileStatistics | None) -> None:
        """A file's statistics; None if it has none."""
        self.why.append(None)
        rows = _count(statistics.rows) if statistics is not None else None
        nulls = None
        bounds: list[Any] = [None, None]
        if statistics is not None:
            nulls = self._nulls(place, statistics, rows)
            if self.column.type not in UNORDERED:
                bounds = [self._bound(at(side, self.column.stored)) for side in (statistics.lower, statistics.upper)]
        for name, value in zip(self.values, (*bounds, rows, nulls), strict=True):
            self.values[name].append(value)
        self.wide.append(statistics is not None and not statistics.tight)

    def _nulls(self, place: int, statistics: FileStatistics, rows: int | None) -> int | None:
        """Of wide statistics only all and none count: any other number carries no information."""
        said = at(statistics.nulls, self.column.stored)
        fault = _fault_of_count(place, self.column, said)
        if fault is not None:
            self.faults.append(fault)
            return None
        nulls = _count(said)
        return nulls if statistics.tight or nulls in (0, rows) else None

    def _bound(self, said: Any) -> Any:
        if said is None:
            return None
        try:
            return in_statistics(said, self.arrow)
        except NoValue:
            self.why[-1] = f"{quoted(said)} is no value of type {self.column.type}"
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
class _Marks:
    """What the log may leave out, by column."""

    bounds: dict[str, pa.Array] = field(default_factory=dict)
    counts: dict[str, pa.Array] = field(default_factory=dict)
    wide: dict[str, pa.Array] = field(default_factory=dict)

    def add(self, path: str, typed: _Typed, *, everywhere: bool, kind: str, tight: Sequence[bool]) -> None:
        each = [everywhere or one for one in tight]
        if any(each) or kind in UNORDERED:
            self.bounds[path] = pa.array([one or kind in UNORDERED for one in each])
        uncounted = [one or wide or kind == BINARY for one, wide in zip(each, typed.wide, strict=True)]
        if any(uncounted):
            self.counts[path] = pa.array(uncounted)
        if any(typed.wide):
            self.wide[path] = pa.array(typed.wide)

    @property
    def latitude(self) -> Latitude:
        return Latitude(self.bounds, self.counts, self.wide)


def _count(said: Any) -> int | None:
    return int(said) if isinstance(said, LoggedNumber) and COUNT.fullmatch(said) else None


def _files(
    location: str, paths: list[str], adds: Sequence[AddAction], statistics: Sequence[FileStatistics | None]
) -> pa.Table:
    rows = [None if one is None else _count(one.rows) for one in statistics]
    number = len(paths)
    return pa.table(
        {
            "path": pa.array(paths, pa.string()),
            "format": pa.array([PARQUET] * number, pa.string()),
            "size": pa.array([add.size for add in adds], pa.int64()),
            "record_count": pa.array(rows, pa.int64()),
            "spec_id": pa.array([0] * number, pa.int32()),
            "manifest": pa.array([location] * number, pa.string()),
            "sort_order": pa.nulls(number, pa.int32()),
            "encrypted": pa.array([False] * number, pa.bool_()),
            "split_offsets": pa.nulls(number, pa.list_(pa.int64())),
        }
    )


@dataclass(frozen=True)
class IdentityTransform:
    """The value of a partition column itself, the only one that Delta has."""

    kind: Kind = Kind.IDENTITY
    keeps_order: bool = True

    def of(self, values: pa.Array | pa.ChunkedArray, column: Leaf) -> pa.Array:
        return values

    def __str__(self) -> str:
        return "identity"


IDENTITY = IdentityTransform()


def _partitioning(
    leaves: Sequence[Leaf], columns: Sequence[DeltaColumn], partition_by: Sequence[str], adds: Sequence[AddAction]
) -> Partitioning:
    stored = {one.path: one for one in columns if len(one.names) == 1}
    by_path = {leaf.path: leaf for leaf in leaves if leaf.path in stored}
    spec, tuples, why = [], {}, {}
    for number, name in enumerate(partition_by):
        leaf = by_path.get(name)
        spec.append(PartitionField(number, name, leaf.field_id if leaf else 0, name if leaf else None, IDENTITY))
        if leaf is not None:
            texts = [(add.partition_values or {}).get(stored[name].stored[0]) for add in adds]
            tuples[name], words = _tuples(texts, leaf, stored[name].type)
            if words.null_count < len(words):
                why[name] = words
    return Partitioning(0, tuple(spec), pa.table(tuples), {}, why)


def _tuples(texts: Sequence[str | None], leaf: Leaf, kind: str) -> tuple[pa.Array, pa.Array]:
    """The values, and why some are none. An empty text is null for every type."""
    values: list[Any] = []
    why: list[str | None] = []
    for text in texts:
        value, words = None, None
        if text:
            try:
                value = in_partition(text, leaf.arrow)
            except NoValue:
                words = f"partition value {quoted(text)} is no value of type {kind}"
        values.append(value)
        why.append(words)
    return array_of(values, leaf.arrow), pa.array(why, pa.string())


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

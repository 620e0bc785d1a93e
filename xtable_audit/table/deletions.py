"""The live delete files of a table, and the data files that they apply to (Iceberg spec, Row-level Deletes)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

POSITION, EQUALITY = 1, 2
PARQUET, PUFFIN, AVRO, ORC = "PARQUET", "PUFFIN", "AVRO", "ORC"
Tuple = tuple[int, tuple[str, ...]]
"""A file's partition: the id of its spec, and the `repr` of each value."""


@dataclass(frozen=True)
class DeleteFile:
    """A live delete file, as its manifest describes it."""

    path: str
    content: int
    format: str
    sequence: int
    partition: Tuple
    equality_ids: tuple[int, ...] = ()
    referenced: str | None = None
    """The one data file it applies to, if it names one."""
    record_count: int = 0
    """Rows of the file, or the cardinality of the vector."""
    size: int = 0
    """In bytes: of the whole Puffin file for a vector."""
    offset: int | None = None
    length: int | None = None
    """Where a vector lies in its Puffin file, in bytes."""
    added_by: int | None = None
    """The snapshot that added it; None if its manifest does not say."""
    is_encrypted: bool = False
    metrics: tuple[tuple[str, tuple[tuple[int, Any], ...]], ...] = ()
    """For each metric that is stored (`lower_bounds`, `value_counts`, …), pairs of field id and value."""

    @property
    def is_vector(self) -> bool:
        return self.format == PUFFIN

    @property
    def is_known(self) -> bool:
        """Whether the judge can read it. It resolves the columns of equality deletes by field id in Parquet alone."""
        readable = self.format in (PARQUET, PUFFIN) or (self.content == POSITION and self.format in (AVRO, ORC))
        return readable and not self.is_encrypted


Data = Mapping[str, tuple[int, Tuple]]
"""Sequence number and partition of each data file, by path."""


class _InTurn:
    """Delete files by their sequence numbers, in ascending order."""

    def __init__(self, files: Iterable[DeleteFile]) -> None:
        self.files = sorted(files, key=lambda one: one.sequence)
        self._numbers = [one.sequence for one in self.files]
        self.known = max((place for place, one in enumerate(self.files, 1) if not one.is_known), default=0)
        """The place from which on the judge can read all."""

    def since(self, sequence: int) -> int:
        """The place of the first that has this number or a later one."""
        return bisect_left(self._numbers, sequence)

    def after(self, sequence: int) -> int:
        return bisect_right(self._numbers, sequence)


NOTHING = _InTurn(())


class Applied(Mapping[str, tuple[DeleteFile, ...]]):
    """Data file -> the delete files that apply to it. Data files without deletes are absent."""

    def __init__(self, deletes: Iterable[DeleteFile], data: Data, unpartitioned: frozenset[int]) -> None:
        vectors: dict[str | None, list[DeleteFile]] = defaultdict(list)
        positions: dict[Tuple, list[DeleteFile]] = defaultdict(list)
        referring: dict[tuple[Tuple, str], list[DeleteFile]] = defaultdict(list)
        equality: dict[Tuple | None, list[DeleteFile]] = defaultdict(list)
        for one in deletes:
            if one.content == EQUALITY:
                equality[None if one.partition[0] in unpartitioned else one.partition].append(one)
            elif one.is_vector:
                vectors[one.referenced].append(one)
            elif one.referenced is None:
                positions[one.partition].append(one)
            else:
                referring[one.partition, one.referenced].append(one)
        self._data, self.unpartitioned = data, unpartitioned
        self._vectors = {path: found for path in vectors if (found := self._in_reach(path, vectors[path]))}
        self._paths: dict[Tuple, list[str]] = defaultdict(list)
        for path, (_, of_partition) in data.items():
            self._paths[of_partition].append(path)
        self._positions = {key: _InTurn(files) for key, files in positions.items()}
        self._referring = {key: _InTurn(files) for key, files in referring.items()}
        self._equality = {key: _InTurn(files) for key, files in equality.items()}

    def __getitem__(self, path: str) -> tuple[DeleteFile, ...]:
        found = tuple(one for turn, first in self._parts(path) for one in turn.files[first:])
        if not found:
            raise KeyError(path)
        return found

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and any(first < len(turn.files) for turn, first in self._parts(path))

    def __iter__(self) -> Iterator[str]:
        return (path for path in self._data if path in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __bool__(self) -> bool:
        return any(True for _ in self)

    def each(self) -> Iterator[DeleteFile]:
        """Every delete file that applies to some data file, once: as these need them, file by file."""
        found: dict[int, int] = {}
        for path in self._data:
            for turn, first in self._parts(path):
                before = found.get(id(turn), len(turn.files))
                yield from turn.files[first:before]
                found[id(turn)] = min(first, before)

    def all_known(self, path: str) -> bool:
        """Whether the judge can read every delete file that applies to it."""
        return all(first >= turn.known for turn, first in self._parts(path))

    def to(self, delete: DeleteFile) -> Iterator[str]:
        """The data files that it applies to."""
        everywhere = delete.content == EQUALITY and delete.partition[0] in self.unpartitioned
        paths = self._data if everywhere else self._paths.get(delete.partition, ())
        return (path for path in paths if self.applies(delete, path))

    def applies(self, delete: DeleteFile, path: str) -> bool:
        if path not in self._data:
            return False
        sequence, of_partition = self._data[path]
        if delete.content == EQUALITY:
            return sequence < delete.sequence and self.scope(delete) in (of_partition, None)
        in_reach = sequence <= delete.sequence and delete.partition == of_partition
        if delete.is_vector:
            return in_reach and delete.referenced == path
        return in_reach and delete.referenced in (None, path) and path not in self._vectors

    def scope(self, delete: DeleteFile) -> Tuple | None:
        """The partition in which an equality delete file applies; None for all."""
        return None if delete.partition[0] in self.unpartitioned else delete.partition

    def _in_reach(self, path: str | None, vectors: Iterable[DeleteFile]) -> _InTurn | None:
        if path is None or path not in self._data:
            return None
        sequence, of_partition = self._data[path]
        found = [one for one in vectors if sequence <= one.sequence and one.partition == of_partition]
        return _InTurn(found) if found else None

    def _parts(self, path: str) -> Iterator[tuple[_InTurn, int]]:
        """Delete files, and the place of the first that applies: all after it do, too."""
        if path not in self._data:
            return
        sequence, of_partition = self._data[path]
        if path in self._vectors:
            yield self._vectors[path], 0
        else:
            for turn in (self._positions.get(of_partition), self._referring.get((of_partition, path))):
                if turn is not None:
                    yield turn, turn.since(sequence)
        for key in (of_partition, None):
            turn = self._equality.get(key, NOTHING)
            yield turn, turn.after(sequence)


@dataclass(frozen=True)
class Deletions:
    """The live delete files of a table, and which of its data files they apply to."""

    files: tuple[DeleteFile, ...] = ()
    applied: Applied = field(default_factory=lambda: Applied((), {}, frozenset()))
    data: Data = field(default_factory=dict)
    """The live data files."""

    def only(self, paths: Iterable[str]) -> Deletions:
        """The same, of these data files."""
        data = {path: self.data[path] for path in paths if path in self.data}
        return Deletions(self.files, Applied(self.files, data, self.applied.unpartitioned), data)


NO_DELETIONS = Deletions()


def apply(
    deletes: Sequence[DeleteFile], data: Iterable[tuple[str, int, Tuple]], unpartitioned: frozenset[int]
) -> Deletions:
    """`data`: path, data sequence number and partition of each data file. `unpartitioned`: ids of unpartitioned specs.

    A deletion vector applies to the file it references, if that file is not newer, and replaces its position delete
    files. A position delete file applies to files of its partition that are not newer. An equality delete file applies
    to older files of its partition, or of every partition if its spec is unpartitioned.
    """
    live = {path: (sequence, of_partition) for path, sequence, of_partition in data}
    return Deletions(tuple(deletes), Applied(deletes, live, unpartitioned), live)

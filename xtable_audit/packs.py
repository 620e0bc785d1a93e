"""Scanners that hand packs of files to other processes, where the local scanner measures them by the same code."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Protocol

import pyarrow as pa

from xtable_audit.model.objects import Objects
from xtable_audit.model.predicate import Predicate
from xtable_audit.model.scan_input import DataFiles, Wanted, WantedColumn
from xtable_audit.scan import LocalScanner, Power, Scanner
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.values.matching_rows import merge_counted
from xtable_audit.values.measured_rows import merge

PACK_BYTES, PACK_FILES = 256 << 20, 500


@dataclass(frozen=True)
class Packing:
    """The maximum of one pack, which is the most that is lost with it; a file of more bytes has a pack of its own."""

    files: int = PACK_FILES
    bytes: int = PACK_BYTES

    def packs(self, sizes: Sequence[int]) -> Iterator[range]:
        """Places of consecutive files, by the size of each."""
        first, filled = 0, 0
        for place, size in enumerate(sizes):
            if place > first and (place - first == self.files or filled + size > self.bytes):
                yield range(first, place)
                first, filled = place, 0
            filled += size
        if first < len(sizes):
            yield range(first, len(sizes))


def sizes_of(stored: StoredMetrics) -> dict[str, int]:
    """The size in bytes of each file, by its path, as the metadata has it; 0 if it does not tell."""
    return dict(zip(stored.paths, stored.files["size"].fill_null(0).to_pylist(), strict=True))


class OwnReach(Protocol):
    """How another process reaches the table's files, by credentials of its own."""

    def objects(self) -> Objects: ...


Work = Callable[[Scanner, DataFiles], pa.Table]
"""What is done with a pack. It crosses to another process, as what it returns does."""


@dataclass(frozen=True)
class ScannerOfPacks(ABC):
    """`sizes` are those of `sizes_of`."""

    reach: OwnReach
    sizes: Mapping[str, int]

    @property
    @abstractmethod
    def power(self) -> Power: ...

    @property
    @abstractmethod
    def at_once(self) -> int:
        """Packs of one job: enough that few cores wait for its last, and few that little is lost with it."""

    @property
    @abstractmethod
    def here(self) -> LocalScanner:
        """The scanner of this process."""

    @abstractmethod
    def packs(self, sizes: Sequence[int]) -> Iterator[range]:
        """Places of consecutive files, by the size of each."""

    @abstractmethod
    def done(self, files: DataFiles, packs: Sequence[range], work: Work) -> Iterator[pa.Table]:
        """The results of one job's packs, in their order."""

    def batches(self, files: DataFiles) -> Iterator[DataFiles]:
        return (files.slice(packs[0].start, packs[-1].stop - packs[0].start) for packs in self._jobs(files, self.sizes))

    def look_up(self, files: DataFiles) -> pa.Table:
        return pa.concat_tables(self._parts(DataFiles(files.table.select(["path"])), _look_up, {}))

    def measure(self, files: DataFiles, wanted: Wanted) -> pa.Table:
        return merge(self._parts(files, partial(_measure, wanted=wanted), self.sizes))

    def count(self, files: DataFiles, columns: Sequence[WantedColumn], predicates: Sequence[Predicate]) -> pa.Table:
        counted = self._parts(files, partial(_count, columns=columns, predicates=predicates), self.sizes)
        return merge_counted(counted)

    def _jobs(self, files: DataFiles, sizes: Mapping[str, int]) -> Iterator[list[range]]:
        """The packs of each job."""
        packs = self.packs([sizes.get(path) or 0 for path in files.table["path"].to_pylist()])
        while some := list(islice(packs, self.at_once)):
            yield some

    def _parts(self, files: DataFiles, work: Work, sizes: Mapping[str, int]) -> list[pa.Table]:
        """The results of the packs, in the order of the files; that of no file for no files."""
        if not len(files):
            return [work(self.here, files)]
        return [part for packs in self._jobs(files, sizes) for part in self.done(files, packs, work)]


def to_bytes(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue().to_pybytes())


def from_bytes(content: bytes) -> pa.Table:
    return pa.ipc.open_stream(content).read_all()


def _look_up(scanner: Scanner, files: DataFiles) -> pa.Table:
    return scanner.look_up(files)


def _measure(scanner: Scanner, files: DataFiles, wanted: Wanted) -> pa.Table:
    return scanner.measure(files, wanted)


def _count(
    scanner: Scanner, files: DataFiles, columns: Sequence[WantedColumn], predicates: Sequence[Predicate]
) -> pa.Table:
    return scanner.count(files, columns, predicates)

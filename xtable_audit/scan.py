"""The interface of a scanner, which measures data files, its use by the judge, and one on this machine: a pool."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import NoReturn, Protocol

import pyarrow as pa
from pyarrow import fs

from xtable_audit.model.kept_results import digest
from xtable_audit.model.malformed import Malformed, first_line, given_up
from xtable_audit.model.objects import Objects
from xtable_audit.model.predicate import Predicate, columns_of
from xtable_audit.model.problem import Problem
from xtable_audit.model.scan_input import DataFile, DataFiles, Wanted, WantedColumn
from xtable_audit.model.time_limits import T
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.values.matching_rows import Counting, by_predicate, counted_rows, merge_counted
from xtable_audit.values.measure_file import FileMeasured, Measuring
from xtable_audit.values.measured_rows import ActualMetrics, merge, rows_of
from xtable_audit.values.open_parquet import open_held


@dataclass(frozen=True)
class Power:
    """What works on a scan."""

    cores: int
    files: int
    """Files that are read at once."""
    machines: int = 1
    """Links to the store: each core of a cluster counts as a machine."""


class Scanner(Protocol):
    """A local pool (`xtable_audit.scan`) or a cluster. Each call reads each file once.

    A malformed file yields a row with the reason.
    """

    @property
    def power(self) -> Power: ...

    def batches(self, files: DataFiles) -> Iterator[DataFiles]:
        """All files, in their order, in parts: what was measured of one is worth keeping before the next is read."""

    def look_up(self, files: DataFiles) -> pa.Table:
        """`size` in bytes, and `modified`, nanoseconds since 1970, of each file, in the order of the files.

        Both are null for a file that does not exist or cannot be looked up: `measure` tells why. `modified` is null
        where the store does not know it.
        """

    def measure(self, files: DataFiles, wanted: Wanted) -> pa.Table:
        """The rows of `xtable_audit.values.measured_rows`, in the order of the files."""

    def count(self, files: DataFiles, columns: Sequence[WantedColumn], predicates: Sequence[Predicate]) -> pa.Table:
        """Matching live rows per file, as `matching_rows.counted_rows`, in the order of the files.

        `columns` include at least those of the predicates.
        """


def actual_metrics(scanner: Scanner, stored: StoredMetrics) -> ActualMetrics:
    """The actual metrics of a table's live files, including partition values. Raises Malformed."""
    return ActualMetrics.of(scanner.measure(stored.data_files, stored.native.wanted(stored)), stored.paths)


def matching_rows(
    scanner: Scanner, files: DataFiles, stored: StoredMetrics, predicates: Sequence[Predicate]
) -> list[dict[str, int]]:
    """For each predicate, the number of matching live rows per file. Raises Malformed."""
    counted = scanner.count(files, [leaf.column for leaf in stored.leaves], predicates)
    return by_predicate(counted, len(predicates))


def live_files(objects: Objects, stored: StoredMetrics) -> DataFiles:
    """The live files with their row-level deletes, without files that are set aside. Raises Malformed."""
    files = stored.data_files.without(stored.files_set_aside)
    return stored.native.with_deletes(objects, files, stored.deletions)


BIG = 64 << 20
"""Minimum size in bytes of a file that is read in parts."""
PART_ROWS = 1 << 20
"""Minimum rows of a part; a part ends with a row group."""
MANY = 16
"""Minimum number of files at which whole files keep the pool busy."""
TOGETHER, ROUNDS = 64, 4
"""Minimum number of files of a batch, and that for each thread: few threads then wait for its last."""
TINY = 16 << 10
"""Bytes of a file that takes longer to hand to another thread than to read."""
LOOKED_UP = 25
"""Files that one thread looks up in turn."""

Groups = tuple[int, ...]
Part = tuple[DataFile, Groups | None]
"""Consecutive row groups of a file, or the whole file if None."""
Kernel = Callable[[DataFile, Groups | None], T]


@dataclass(frozen=True)
class LocalScanner:
    """`threads` is None for one for each core, or as many as small files are best read by."""

    objects: Objects
    threads: int | None = None

    @property
    def power(self) -> Power:
        cores = os.cpu_count() or 1
        return Power(cores, self.threads or cores)

    def batches(self, files: DataFiles) -> Iterator[DataFiles]:
        together = max(TOGETHER, ROUNDS * self.power.files)
        return (files.slice(start, together) for start in range(0, len(files), together))

    def look_up(self, files: DataFiles) -> pa.Table:
        paths = files.table["path"].to_pylist()
        parts = [paths[start : start + LOOKED_UP] for start in range(0, len(paths), LOOKED_UP)]
        found = self.objects.each(self._infos, parts, lambda part, _: [None] * len(part), self.power.files)
        infos = [*chain.from_iterable(found)]
        return pa.table(
            {
                "size": pa.array([info and info.size for info in infos], pa.int64()),
                "modified": pa.array([info and info.mtime_ns for info in infos], pa.int64()),
            }
        )

    def measure(self, files: DataFiles, wanted: Wanted) -> pa.Table:
        return self.objects.kept(
            "measured",
            lambda: digest(files.digest, repr(wanted)),
            files.paths,
            lambda objects: replace(self, objects=objects)._measured(files, wanted),
            _read_all,
        )

    def _measured(self, files: DataFiles, wanted: Wanted) -> pa.Table:
        measuring = Measuring(self.objects, wanted)
        found = self._results(files, measuring.file, _not_read)
        measuring.finish()
        return merge([rows_of(found, wanted)])

    def count(self, files: DataFiles, columns: Sequence[WantedColumn], predicates: Sequence[Predicate]) -> pa.Table:
        named = frozenset(chain.from_iterable(map(columns_of, predicates)))
        filtered = [column for column in columns if column.path in named]

        def given() -> str:
            return digest(files.digest, repr(filtered), repr(predicates))

        def anew(objects: Objects) -> pa.Table:
            return replace(self, objects=objects)._counted(files, filtered, predicates)

        return self.objects.kept("counted", given, files.paths, anew, _read_all)

    def _counted(self, files: DataFiles, filtered: Sequence[WantedColumn], predicates: Sequence[Predicate]) -> pa.Table:
        counting = Counting(self.objects, filtered, predicates)
        found = self._results(files, counting.file, _not_counted)
        counting.finish()
        return merge_counted([counted_rows(found)])

    def _results(self, files: DataFiles, kernel: Kernel[T], late: Callable[[DataFile, TimeoutError], T]) -> list[T]:
        """Results in the order of the files; several for a file read in parts."""
        each, at_once = self.objects.each, self._threads_for(files)
        whole: list[Part] = [(file, None) for file in files]
        parts = whole if len(files) >= MANY else chain.from_iterable(each(self._parts, whole, _in_one_part, at_once))
        return each(lambda part: kernel(*part), [*parts], lambda part, error: late(part[0], error), at_once)

    def _threads_for(self, files: DataFiles) -> int:
        """Of files that others would be like: the first, the last, and one between."""
        if self.threads is not None or not len(files):
            return self.power.files
        some = {files.table["path"][place].as_py() for place in (0, len(files) // 2, len(files) - 1)}
        try:
            sizes = [self.objects.size(path) or 0 for path in some]
        except (Malformed, Problem):
            return self.power.files  # the kernel reports the error
        return self.objects.at_once if max(sizes) < TINY else self.power.files

    def _infos(self, paths: Sequence[str]) -> list[fs.FileInfo | None]:
        try:
            return self.objects.infos(paths)
        except (OSError, pa.ArrowException):
            return [None] * len(paths)

    def _parts(self, whole: Part) -> list[Part]:
        """A big file in parts, of some of its row groups each."""
        file, _ = whole
        try:
            if not file.is_parquet or (self.objects.size(file.path) or 0) < BIG:
                return [whole]
            with self.objects.open(file.path) as source:
                footer = open_held(source, self.objects.limits.footer).footer
        except (Malformed, pa.ArrowException, OSError):
            return [whole]  # the kernel reports the error
        return [(file, groups) for groups in _parts(footer.rows)]


def _in_one_part(whole: Part, _: TimeoutError) -> list[Part]:
    return [whole]


def _not_read(file: DataFile, error: TimeoutError) -> FileMeasured:
    return FileMeasured(file.path, None, unread=f"cannot be read: {first_line(error)}")


def _not_counted(file: DataFile, error: TimeoutError) -> NoReturn:
    given_up(file.path, error)


def _read_all(rows: pa.Table) -> bool:
    """Whether nothing is wrong with any file: what is may be an answer of the store."""
    wrong = [rows[name] for name in ("malformed", "unread") if name in rows.column_names]
    return all(reasons.null_count == len(rows) for reasons in wrong)


def _parts(rows: Sequence[int]) -> Iterator[Groups]:
    """Parts of at least PART_ROWS rows; `rows` holds the number of rows of each row group."""
    part: list[int] = []
    for group, _ in enumerate(rows):
        part.append(group)
        if sum(rows[one] for one in part) >= PART_ROWS:
            yield tuple(part)
            part = []
    if part:
        yield tuple(part)

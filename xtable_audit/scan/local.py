"""A scanner on this machine: a pool of threads over files, and over the row groups of big ones."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import chain, repeat
from typing import TypeVar

import pyarrow as pa

from xtable_audit.model.malformed import Malformed
from xtable_audit.model.objects import Objects
from xtable_audit.model.predicate import Predicate, columns_of
from xtable_audit.model.wanted import Column, DataFile, DataFiles, Wanted
from xtable_audit.values.matching_rows import FileCounted, count_file, counted_rows, merge_counted
from xtable_audit.values.measure_file import FileMeasured, measure_file
from xtable_audit.values.measured_rows import merge, rows_of
from xtable_audit.values.parquet import open_parquet

BIG = 64 << 20
"""Bytes from which on a file is read in parts."""
PART_ROWS = 1 << 20
"""Rows from which on a part is full: it ends with the row group."""
MANY = 16
"""Files from which on the pool is busy with whole ones."""

Groups = tuple[int, ...]
T = TypeVar("T")
Kernel = Callable[[DataFile, Groups | None], T]
"""Over row groups that follow each other, or over the whole file."""


@dataclass(frozen=True)
class LocalScanner:
    """`pool` are the caller's threads; without them each call has its own."""

    objects: Objects
    pool: ThreadPoolExecutor | None = None

    def measure(self, files: DataFiles, wanted: Wanted) -> pa.Table:
        def kernel(file: DataFile, groups: Groups | None) -> FileMeasured:
            return measure_file(self.objects, file, wanted, groups)

        return merge([rows_of(self._results(files, kernel), wanted)])

    def count(self, files: DataFiles, columns: Sequence[Column], predicates: Sequence[Predicate]) -> pa.Table:
        named = frozenset(chain.from_iterable(map(columns_of, predicates)))
        asked = [column for column in columns if column.path in named]

        def kernel(file: DataFile, groups: Groups | None) -> FileCounted:
            return count_file(self.objects, file, asked, predicates, groups)

        return merge_counted([counted_rows(self._results(files, kernel))])

    def _results(self, files: DataFiles, kernel: Kernel[T]) -> list[T]:
        """In the order of the files; several for a file in parts."""
        with nullcontext(self.pool) if self.pool else ThreadPoolExecutor(os.cpu_count()) as pool:
            splits = pool.map(self._parts, files) if len(files) < MANY else repeat([None], len(files))
            begun = [
                pool.submit(kernel, file, groups) for file, parts in zip(files, splits, strict=True) for groups in parts
            ]
            return [one.result() for one in begun]

    def _parts(self, file: DataFile) -> list[Groups] | list[None]:
        """Of a big file its row groups, some to a part."""
        try:
            if not file.is_parquet or (self.objects.size(file.path) or 0) < BIG:
                return [None]
            with self.objects.open(file.path) as source:
                footer = open_parquet(source).metadata
        except (Malformed, pa.ArrowException, OSError):
            return [None]  # whoever reads the whole file says so
        return list(_parts([footer.row_group(group).num_rows for group in range(footer.num_row_groups)]))


def _parts(rows: Sequence[int]) -> Iterator[Groups]:
    """Of the row groups with so many rows each."""
    part: list[int] = []
    for group, _ in enumerate(rows):
        part.append(group)
        if sum(rows[one] for one in part) >= PART_ROWS:
            yield tuple(part)
            part = []
    if part:
        yield tuple(part)

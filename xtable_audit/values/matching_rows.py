"""Live rows of a data file that match a predicate by actual values. Readers' answers are compared with them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import add
from threading import Lock
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.model.limits import MIB
from xtable_audit.model.malformed import Malformed, check_reachable, first_line
from xtable_audit.model.objects import Objects
from xtable_audit.model.predicate import And, Compare, In, IsNull, Or, Predicate, StartsWith
from xtable_audit.model.scalars import Mask
from xtable_audit.model.scan_input import DataFile, Deletes, WantedColumn
from xtable_audit.values.deleted_rows import not_among, removes, with_vector
from xtable_audit.values.open_parquet import HeldFile, at_hand, batches, open_held
from xtable_audit.values.parquet import FileColumns, FileSchema
from xtable_audit.values.row_groups import rows_at_once

OPERATORS = {
    "=": pc.equal,
    "!=": pc.not_equal,
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
}


@dataclass
class FileCounted:
    """Number of matching live rows per predicate, in a file or some of its row groups; None if it is malformed."""

    path: str
    matches: list[int] | None
    malformed: str | None = None


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows of a file, to be looked at with those of others."""

    counted: list[int]
    """Where their matches are added, for each predicate."""
    values: Sequence[pa.Array]
    """Of each column of the predicates, then of each that a delete by equality compares."""
    live: Mask
    """Those that no position delete removes."""
    deletes: Deletes

    @property
    def alike(self) -> tuple[object, ...]:
        """The same for rows that are looked at by one call."""
        return (*map(id, self.deletes.equality), *(values.type for values in self.values))


ENOUGH, WEIGHTY = 1 << 16, 16 * MIB
"""Rows, and bytes of their values, that wait for others at most: they are copied."""


class Counting:
    """Files of one scan, counted by SQL's three-valued logic: null matches only IS NULL.

    A column that a file lacks has its constant in every row, or is null. Ten rows cost as much as a thousand where each
    call costs more than what it does, so rows of many files are looked at together, by the `finish` at the latest.
    """

    def __init__(self, objects: Objects, columns: Sequence[WantedColumn], predicates: Sequence[Predicate]) -> None:
        """`columns` are those of the predicates."""
        self._objects, self._columns, self._predicates = objects, columns, predicates
        self._waiting: list[_Rows] = []
        self._rows = self._bytes = 0
        self._lock = Lock()

    def file(self, data_file: DataFile, groups: tuple[int, ...] | None = None) -> FileCounted:
        """A file, or consecutive row groups of it. Raises Malformed for a deletion vector that is not read."""
        path, data_file = data_file.path, with_vector(self._objects, data_file)
        counted = [0] * len(self._predicates)
        try:
            with self._objects.open(path) as source, at_hand(source) as content:
                for rows in self._in(open_held(content, self._objects.limits.footer), data_file, groups, counted):
                    self._add(rows)
            return FileCounted(path, counted)
        except FileNotFoundError:
            reason = "is named by the metadata but does not exist"
        except (pa.ArrowException, OSError) as error:
            check_reachable(path, error)
            reason = f"cannot be read as Parquet: {first_line(error)}"
        return FileCounted(path, None, reason)

    def finish(self) -> None:
        waiting, self._waiting = self._waiting, []
        self._count(waiting)

    def _in(
        self, file: HeldFile, data_file: DataFile, groups: tuple[int, ...] | None, counted: list[int]
    ) -> Iterator[_Rows]:
        deletes = data_file.deletes
        wanted = (*self._columns, *(column for one in deletes.equality for column in one.columns))
        found = FileColumns.of(FileSchema.of(file.schema_arrow, data_file.mapping), wanted, data_file.constants)
        first = sum(file.footer.rows[: groups[0]]) if groups else 0
        at_once = rows_at_once(file.footer, found.roots, groups, self._objects.limits.row_group)
        for batch in batches(file, at_once, columns=sorted(found.roots), row_groups=groups):
            if len(batch):
                values = [found.values(batch, column) for column in wanted]
                yield _Rows(counted, values, not_among(deletes.positions, len(batch), first), deletes)
            first += len(batch)

    def _add(self, rows: _Rows) -> None:
        with self._lock:
            self._waiting.append(rows)
            self._rows += len(rows.live)
            self._bytes += sum(values.nbytes for values in rows.values)
            if self._rows < ENOUGH and self._bytes < WEIGHTY:
                return
            ready, self._waiting, self._rows, self._bytes = self._waiting, [], 0, 0
        self._count(ready)

    def _count(self, waiting: Iterable[_Rows]) -> None:
        alike: dict[tuple[object, ...], list[_Rows]] = defaultdict(list)
        for rows in waiting:
            alike[rows.alike].append(rows)
        for together in alike.values():
            counts = self._matches(together)
            with self._lock:  # another thread may count other rows of the same file
                for rows, matches in zip(together, counts, strict=True):
                    rows.counted[:] = map(add, rows.counted, matches)

    def _matches(self, together: Sequence[_Rows]) -> list[list[int]]:
        """For each of them the number of matching live rows, by predicate."""
        lengths = [len(rows.live) for rows in together]
        values = map(pa.concat_arrays, zip(*(rows.values for rows in together), strict=True))
        seen = {column.path: next(values) for column in self._columns}
        live = np.concatenate([rows.live for rows in together])
        sequences = np.repeat([rows.deletes.sequence for rows in together], lengths)
        for one in together[0].deletes.equality:
            live &= ~removes(one, sequences, [next(values) for _ in one.columns])
        counts = np.zeros((len(together), len(self._predicates)), np.int64)
        for place, predicate in enumerate(self._predicates):
            matching = np.asarray(holds(predicate, seen).fill_null(False)) & live
            counts[:, place] = np.add.reduceat(matching, np.cumsum([0, *lengths[:-1]]), dtype=np.int64)
        found: list[list[int]] = counts.tolist()
        return found


def counted_rows(files: Sequence[FileCounted]) -> pa.Table:
    """An Arrow table that can cross a process: path, malformed, and matches (a list with one number per predicate)."""
    return pa.table(
        {
            "path": pa.array([file.path for file in files], pa.string()),
            "malformed": pa.array([file.malformed for file in files], pa.string()),
            "matches": pa.array([file.matches for file in files], pa.list_(pa.int64())),
        }
    )


def merge_counted(parts: Iterable[pa.Table]) -> pa.Table:
    """Sums the parts of each file, in order of first appearance. A file is malformed if a part is."""
    table = pa.concat_tables(parts)
    found: dict[str, FileCounted] = {}
    for row in table.to_pylist():
        part = FileCounted(row["path"], row["matches"], row["malformed"])
        before = found.get(part.path, part)
        if before is not part and before.malformed is None and part.malformed is None:
            pairs = zip(before.matches or (), part.matches or (), strict=True)
            part = FileCounted(part.path, [*map(sum, pairs)])
        found[part.path] = before if before.malformed is not None else part
    return counted_rows(list(found.values()))


def by_predicate(counted: pa.Table, predicates: int) -> list[dict[str, int]]:
    """For each of so many predicates the number of matching rows per file. Raises Malformed for the first malformed
    file.
    """
    for path, reason in zip(counted["path"].to_pylist(), counted["malformed"].to_pylist(), strict=True):
        if reason is not None:
            raise Malformed(path, reason)
    of_files = list(zip(counted["path"].to_pylist(), counted["matches"].to_pylist(), strict=True))
    return [{path: matches[place] for path, matches in of_files} for place in range(predicates)]


def holds(predicate: Predicate, values: dict[str, pa.Array]) -> pa.Array:
    """One boolean per row; null if the predicate is unknown there."""
    match predicate:
        case And(left, right):
            return pc.and_kleene(holds(left, values), holds(right, values))
        case Or(left, right):
            return pc.or_kleene(holds(left, values), holds(right, values))
        case Compare(column, operator, value):
            return OPERATORS[operator](values[column], pa.scalar(value, values[column].type))
        case In(column, listed, negated):
            known = values[column]
            found = listed_among(known, listed)
            return pc.and_(pc.is_valid(known), pc.invert(found)) if negated else found
        case IsNull(column, negated):
            return pc.is_valid(values[column]) if negated else pc.is_null(values[column])
        case StartsWith(column, prefix):
            return pc.starts_with(values[column], prefix)
    raise TypeError(f"{type(predicate).__name__} is not a predicate the judge knows")


def listed_among(values: pa.Array | pa.ChunkedArray, listed: Sequence[Any]) -> pa.Array | pa.ChunkedArray:
    """Whether each value is in `listed`; False for null. -0.0 equals 0.0, as in SQL."""
    wanted = pa.array(listed, values.type)
    if pa.types.is_floating(values.type):
        nought = pa.scalar(0.0, values.type)  # -0.0 + 0.0 = 0.0
        values, wanted = pc.add(values, nought), pc.add(wanted, nought)
    return pc.is_in(values, wanted)

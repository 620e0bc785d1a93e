"""Measures one data file: the kernel that every scanner runs. It needs only Arrow.

It decodes values batch by batch and never uses footer statistics, which carry the faults under audit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

import pyarrow as pa

from xtable_audit.model.malformed import ColumnMisfit, Malformed, Unread, check_reachable, first_line, is_of_store
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Unreachable
from xtable_audit.model.scan_input import DataFile, NameMapping, Positions, Wanted, WantedColumn
from xtable_audit.values import row_counts
from xtable_audit.values.column_measured import ColumnMeasured
from xtable_audit.values.deleted_rows import not_among, removed
from xtable_audit.values.open_parquet import NO_MEMORY, HeldFile, at_hand, batches, open_held
from xtable_audit.values.parquet import DoesNotFit, FileColumns
from xtable_audit.values.row_counts import SortedRows, nulls_inside
from xtable_audit.values.row_groups import (
    BATCH_ROWS,
    RowGroup,
    TooMuch,
    in_parts,
    in_runs,
    repetitive,
    row_groups,
    rows_at_once,
)
from xtable_audit.values.schema_fit import Fit
from xtable_audit.values.small_files import NUMBERS, SHORT, ShortColumns, Together


@dataclass(frozen=True)
class FileMeasured:
    """A file, or some of its row groups. `size` is None if it does not exist or its size cannot be read. `record_count`
    is None if it is not read: it does not exist, is not Parquet by the metadata, is `malformed` or `unread`. It counts
    the rows that the file's deletion vector removes; nothing else does.
    """

    path: str
    size: int | None
    record_count: int | None = None
    malformed: str | None = None
    """Why it cannot be read as the Parquet file that the metadata describes."""
    schema: pa.Schema | None = None
    """The file's own schema."""
    columns: Mapping[str, ColumnMeasured] = field(default_factory=dict)
    short: ShortColumns | None = None
    """Those that are none of `columns`."""
    held: frozenset[str] = frozenset()
    """Columns that the file itself holds."""
    derived: Mapping[str, ColumnMeasured] = field(default_factory=dict)
    inside: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Path of a required field inside a column -> number of values where its parent is present, and number of nulls."""
    counted: int | None = None
    """Rows of a file whose values are not read, where they can be counted."""
    unordered: int | None = None
    """Rows that its sort order has before the row they follow, in the same part; None without an order to judge."""
    format: str | None = None
    """Its format by its first bytes, as in Iceberg metadata: `PARQUET`; None if they are of no format of Iceberg's."""
    unread: str | None = None
    """Why it was not read, where that says nothing against it: the store, a limit."""
    groups: tuple[RowGroup, ...] | None = None
    """Those of the whole file; None if it is not read, or not from its first."""
    misfit: ColumnMisfit | None = None
    """The column because of which it is malformed, if that is known."""


class Measuring:
    """Files of one scan: what those of one schema share is made once, and short columns are measured together."""

    def __init__(self, objects: Objects, wanted: Wanted, *, one: bool = False) -> None:
        """`one`: of one file, whose columns wait for none."""
        self.objects, self.wanted = objects, wanted
        waiting = () if one else NUMBERS
        self.numbers = tuple(column for column in wanted.columns if column.arrow.id in waiting)
        self.others = tuple(column for column in wanted.columns if column.arrow.id not in waiting)
        self._together = Together(self.numbers)
        self._fit: Fit | None = None

    def fit(self, file: HeldFile, mapping: NameMapping | None) -> Fit:
        last = self._fit
        if last is None or not last.is_of(file, mapping):
            self._fit = last = Fit.of(file, mapping, self.wanted)
        return last

    def file(self, data_file: DataFile, groups: tuple[int, ...] | None = None) -> FileMeasured:
        """Of a file, or of row groups of it, what is measured at the `finish`."""
        found = _measure_file(self, data_file, groups)
        if found.short is not None:
            self._together.add(found.short)
        return found

    def finish(self) -> None:
        self._together.finish()


def measure_file(
    objects: Objects, data_file: DataFile, wanted: Wanted, groups: tuple[int, ...] | None = None
) -> FileMeasured:
    """Measures one file, or row groups of it. A column that it lacks is as in `FileColumns`."""
    return Measuring(objects, wanted, one=True).file(data_file, groups)


def _measure_file(measuring: Measuring, data_file: DataFile, groups: tuple[int, ...] | None) -> FileMeasured:
    objects = measuring.objects
    path, misfit = data_file.path, None
    try:
        source, size = _open(objects, path)
    except Unreachable as error:
        return FileMeasured(path, None, unread=f"cannot be looked up: {first_line(error)}")
    except Malformed as error:
        return FileMeasured(path, None, unread=error.reason)
    if size is None:
        return FileMeasured(path, size)
    if not data_file.is_parquet:
        return _not_read(objects, source, path, size)
    try:
        return objects.within(lambda: _sparing(measuring, source, size, data_file, groups), size)
    except Unread as error:
        return FileMeasured(path, size, unread=error.reason)
    except Malformed as error:
        return FileMeasured(path, size, malformed=error.reason)
    except Unreachable as error:
        return FileMeasured(path, size, unread=f"has a deletion vector that is not read: {first_line(error)}")
    except (pa.ArrowMemoryError, MemoryError):
        return FileMeasured(path, size, unread=NO_MEMORY)
    except TooMuch as error:
        return FileMeasured(path, size, unread=first_line(error))
    except (pa.ArrowException, OverflowError, UnicodeError) as error:
        error.__traceback__ = None  # Arrow keeps what HeldPages raises for ever (PyArrow 25), and its frames the file
        reason = f"is not the Parquet file the metadata describes: {first_line(error)}"
        misfit = error.misfit if isinstance(error, DoesNotFit) else None
    except OSError as error:
        if is_of_store(path, error):
            return FileMeasured(path, size, unread=f"cannot be read: {first_line(error)}")
        reason = f"cannot be read as Parquet: {first_line(error)}"
    return FileMeasured(path, size, malformed=reason, misfit=misfit)


def _open(objects: Objects, path: str) -> tuple[pa.NativeFile | None, int | None]:
    """The file and its size, by one request. None for a file that does not open, with its size if it exists.

    Raises Unread or Unreachable if the store fails.
    """
    try:
        source = objects.open(path)
        return source, source.size()
    except TimeoutError as error:
        check_reachable(path, error)
        raise
    except (OSError, pa.ArrowException):  # raised again by who opens it to read
        return None, objects.size(path)


FEW_ROWS = 256
"""Rows that are decoded at a time of a file whose values are large, though its footer does not tell."""


def _sparing(
    measuring: Measuring,
    source: pa.NativeFile | None,
    size: int,
    data_file: DataFile,
    groups: tuple[int, ...] | None,
) -> FileMeasured:
    """A value of a megabyte that is repeated a million times takes few bytes in the file, and many at once."""
    objects = measuring.objects
    with source or objects.open(data_file.path) as opened:
        deleted = removed(objects, data_file)
        with at_hand(opened) as content:
            try:
                return _measured(measuring, content, size, data_file, deleted, groups, BATCH_ROWS)
            except (pa.ArrowMemoryError, MemoryError):
                return _measured(measuring, content, size, data_file, deleted, groups, FEW_ROWS)


def _measured(
    measuring: Measuring,
    source: pa.NativeFile,
    size: int,
    data_file: DataFile,
    deleted: Positions,
    groups: tuple[int, ...] | None,
    most: int,
) -> FileMeasured:
    limits, wanted = measuring.objects.limits, measuring.wanted
    file = open_held(source, limits.footer, repetitive)
    fit = measuring.fit(file, data_file.mapping)
    found, demanding = replace(fit.columns, constants=data_file.constants), fit.demanding
    seen: dict[str, ColumnMeasured] = {}
    short: ShortColumns | None = None
    derived = {one.name: ColumnMeasured(one.arrow) for one in wanted.derived}
    columns = {column.path: column for column in wanted.columns}
    inside: dict[str, tuple[int, int]] = {}
    order = wanted.sorted_by(data_file.order)
    in_turn = SortedRows(order)
    roots = sorted(found.roots | set(demanding))
    rows_at_once(file.footer, roots, groups, limits.row_group)
    sorted_by = {root for by in order if (root := found.root(columns[by.column])) is not None}
    claimed = file.metadata.num_rows if groups is None else sum(file.footer.rows[group] for group in groups)
    every = range(len(file.footer.rows)) if groups is None else groups
    begin = sum(file.footer.rows[: every[0]]) if every else 0
    for number, part in enumerate(in_parts(file.footer, roots, sorted_by, every)):
        first, there = number == 0, {*part}
        mine = [one for one in wanted.columns if found.root(one) in there or (first and found.root(one) is None)]
        paths = {one.path for one in mine}
        rows, at_once = 0, min(most, rows_at_once(file.footer, part, groups, limits.row_group))
        runs = in_runs(file.footer, part, every)
        named = part if len(part) < len(fit.schema) else None  # every name is looked up
        for whole in chain.from_iterable(batches(file, at_once, columns=named, row_groups=run) for run in runs):
            here, rows = begin + rows, rows + whole.num_rows
            batch = whole.filter(pa.array(not_among(deleted, len(whole), here))) if len(deleted) else whole
            if whole.num_rows == claimed <= SHORT and len(mine) == len(wanted.columns):
                short = _short(measuring.numbers, found, batch)
            for column in mine if short is None else measuring.others:
                if column.path not in seen:
                    seen[column.path] = ColumnMeasured(column.arrow)
                seen[column.path].see(found.values(batch, column))
            for one in wanted.derived:
                if one.column in paths:
                    derived[one.name].see(one.of(found.values(batch, columns[one.column])))
            if order and first:
                in_turn.see([found.values(batch, columns[by.column]) for by in order])
            for name in there & demanding.keys():
                shape, kind = demanding[name]
                for path_inside, around, null in nulls_inside(batch[name], kind, shape, shape.name, by_id=fit.by_id):
                    before = inside.get(path_inside, (0, 0))
                    inside[path_inside] = before[0] + around, before[1] + null
        if rows != claimed:
            raise pa.ArrowInvalid(f"it holds {rows:,} rows where its footer claims {claimed:,}")
    alone = wanted.columns if short is None else measuring.others
    return FileMeasured(
        *(data_file.path, size, rows, None, fit.schema),
        columns={column.path: seen.get(column.path) or ColumnMeasured(column.arrow) for column in alone},
        short=short,
        held=frozenset(found.places),
        derived=derived,
        inside=inside,
        unordered=in_turn.unordered if order else None,
        format=PARQUET,
        groups=row_groups(file.footer) if groups is None or 0 in groups else None,
    )


def _short(numbers: Sequence[WantedColumn], found: FileColumns, batch: pa.RecordBatch) -> ShortColumns | None:
    """None if there are none, or one is of a type of its own."""
    values = [found.values(batch, column) for column in numbers]
    if not values or any(one.type != column.arrow for one, column in zip(values, numbers, strict=True)):
        return None
    return ShortColumns(values, [column.path in found.places for column in numbers])


PARQUET = "PARQUET"
MAGIC = {b"PAR1": PARQUET, b"PARE": PARQUET, **row_counts.MAGIC}
"""First bytes of a file, and its format; PARE begins a Parquet file with an encrypted footer."""


def _not_read(objects: Objects, source: pa.NativeFile | None, path: str, size: int) -> FileMeasured:
    """A file that is not Parquet by the metadata. Its rows are counted, if its first bytes are of ORC or Avro."""
    try:
        return objects.within(lambda: _counted(source or objects.open(path), path, size), size)
    except Unread as error:
        return FileMeasured(path, size, unread=error.reason)
    except (OSError, ValueError, pa.ArrowException) as error:
        if is_of_store(path, error):
            return FileMeasured(path, size, unread=f"cannot be read: {first_line(error)}")
        return FileMeasured(path, size, malformed=f"cannot be read: {first_line(error)}")


def _counted(opened: pa.NativeFile, path: str, size: int) -> FileMeasured:
    with opened as source:
        begins = source.read(max(map(len, MAGIC)))
        format = next((format for magic, format in MAGIC.items() if begins.startswith(magic)), None)
        if format not in row_counts.MAGIC.values():
            return FileMeasured(path, size, format=format)
        source.seek(0)
        return FileMeasured(path, size, counted=row_counts.rows_in(source, str(format)), format=format)

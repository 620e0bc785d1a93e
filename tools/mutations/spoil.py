"""What a translator may get wrong in one place, and how that error is made in a case that is already read.

Each function returns None where it cannot: the metadata has no such metric, or the values leave no room for the error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.subject.case import Case
from xtable_audit.table.partitions import Partitioning

# Makes one error in a case that is already read: no file is written, and nothing else of the table changes.


@dataclass(frozen=True)
class FaultPlace:
    """A file, by its row in the stored metrics, and of it a column or a partition field."""

    file: int
    name: str = ""


def bound(case: Case, at: FaultPlace, side: str, beyond: str) -> Case | None:
    """A bound that is the extreme of the other side, and so excludes a value."""
    true = case.actual.columns[at.name]
    low, high = (true[extreme][at.file].as_py() for extreme in ("min", "max"))
    if low is None or low == high or not case.stored.columns[at.name][side][at.file].is_valid:
        return None
    return _with_metric(case, at, side, {"min": low, "max": high}[beyond])


def wide_bound(case: Case, at: FaultPlace) -> Case | None:
    """A lower bound that is the table's, not the file's."""
    stored, true = case.stored.columns[at.name], case.actual.columns[at.name]["min"]
    if pa.types.is_fixed_size_binary(true.type):  # of which Arrow computes no minimum
        return None
    least, own = pc.min(true).as_py(), true[at.file].as_py()
    if own is None or not least < own or not stored["lower"][at.file].is_valid:
        return None
    return _with_metric(case, at, "lower", least)


def no_bound(case: Case, at: FaultPlace) -> Case | None:
    stored = case.stored.columns[at.name]["upper"][at.file]
    return _with_metric(case, at, "upper", None) if stored.is_valid else None


def count_too_high(case: Case, at: FaultPlace, metric: str) -> Case | None:
    true = case.actual.columns[at.name][metric][at.file].as_py()
    stored = case.stored.columns[at.name][metric][at.file]
    return None if true is None or not stored.is_valid else _with_metric(case, at, metric, true + 1)


def no_null(case: Case, at: FaultPlace) -> Case | None:
    """No nulls where there are some: a reader skips the file for `IS NULL`."""
    true = case.actual.columns[at.name]["null_count"][at.file].as_py()
    stored = case.stored.columns[at.name]["null_count"][at.file]
    return _with_metric(case, at, "null_count", 0) if true and stored.is_valid else None


def one_more_of_file(case: Case, at: FaultPlace, what: str) -> Case | None:
    """Of its rows or bytes."""
    true, stored = case.actual.files[what][at.file].as_py(), case.stored.files[what][at.file]
    return None if true is None or not stored.is_valid else _with_file(case, at, what, true + 1)


def lost_file(case: Case, at: FaultPlace) -> Case:
    kept = np.arange(case.stored.files.num_rows) != at.file
    return replace(case, stored=case.stored.only(kept), actual=case.actual.take(np.flatnonzero(kept).tolist()))


def stale_file(case: Case, at: FaultPlace) -> Case | None:
    """The file is live, and the source has it no more."""
    path, source = case.stored.paths[at.file], case.source
    left = {uri: size for uri, size in source.base_files.items() if uri != path}
    return replace(case, source=replace(source, base_files=left)) if path in source.base_files else None


def listed_twice(case: Case, at: FaultPlace) -> Case | None:
    """Another file is, in the place of this one."""
    other = next((path for path in case.stored.paths if path != case.stored.paths[at.file]), None)
    return None if other is None else _with_file(case, at, "path", other)


def tuple_of_another_file(case: Case, at: FaultPlace) -> Case | None:
    values = case.stored.partition[at.name].to_pylist()
    other = next((value for value in values if value not in (None, values[at.file])), None)
    return None if other is None else _with_tuple(case, at, other)


def no_tuple(case: Case, at: FaultPlace) -> Case | None:
    return _with_tuple(case, at, None)


def spec_without_field(case: Case, at: FaultPlace) -> Case:
    own = case.stored.partitioning
    return _with_partitioning(case, replace(own, spec=tuple(field for field in own.spec if field.name != at.name)))


def other_value(case: Case, at: FaultPlace) -> Case | None:
    """A row of the file shows the value of another row."""
    if case.rows is None or not _is_shown(case, at):
        return None
    column = case.rows.values[at.name]
    values, here = column.to_pylist(), np.flatnonzero(np.asarray(case.rows.place) == at.file)
    own = values[here[0]] if len(here) else None
    other = next((value for value in values if value not in (None, own)), None)
    if other is None or not len(here):
        return None
    return replace(case, rows=replace(case.rows, values=_set(case.rows.values, at.name, int(here[0]), other)))


def lost_column(case: Case, at: FaultPlace) -> Case | None:
    if case.rows is None or not _is_shown(case, at):
        return None
    return replace(case, rows=replace(case.rows, values=case.rows.values.drop_columns([at.name])))


def column_left_over(case: Case, at: FaultPlace) -> Case | None:
    """The table has it, and the source dropped it."""
    known = case.source.columns or ()
    left = tuple(one for one in known if one != at.name)
    return replace(case, source=replace(case.source, columns=left)) if at.name in known else None


def _is_shown(case: Case, at: FaultPlace) -> bool:
    """Whether both the table and its source show a column of the name."""
    if case.rows is None or case.source.shown is None:
        return False
    return all(at.name in side.column_names for side in (case.rows.values, case.source.shown))


def _with_metric(case: Case, at: FaultPlace, metric: str, value: object) -> Case:
    put = _set(case.stored.columns[at.name], metric, at.file, value)
    return replace(case, stored=replace(case.stored, columns={**case.stored.columns, at.name: put}))


def _with_file(case: Case, at: FaultPlace, what: str, value: object) -> Case:
    return replace(case, stored=replace(case.stored, files=_set(case.stored.files, what, at.file, value)))


def _with_tuple(case: Case, at: FaultPlace, value: object) -> Case | None:
    own = case.stored.partitioning
    if not own.tuples[at.name][at.file].is_valid:
        return None
    return _with_partitioning(case, replace(own, tuples=_set(own.tuples, at.name, at.file, value)))


def _with_partitioning(case: Case, first: Partitioning) -> Case:
    return replace(case, stored=replace(case.stored, partitionings=(first, *case.stored.older)))


def _set(table: pa.Table, name: str, row: int, value: Any) -> pa.Table:
    """The table with another value in one row of a column."""
    column = table[name]
    before, after = column.slice(0, row).chunks, column.slice(row + 1).chunks
    put = pa.chunked_array([*before, pa.array([value], column.type), *after], column.type)
    return table.set_column(table.schema.get_field_index(name), name, put.combine_chunks())


# What a translator may get wrong in one place of a table, and the claims that must then fail.


class At(Enum):
    """What an error is made at."""

    COLUMN = "a column of a file"
    FIELD = "a partition field of a file"
    FILE = "a file"

    def has(self, dimension: str) -> bool:
        """Whether places of this sort differ in that dimension."""
        of = {"type": At.COLUMN, "depth": At.COLUMN, "partition": At.FIELD}
        return of.get(dimension, self) is self


@dataclass(frozen=True)
class Error:
    """`claims` are the ids of those that can catch it in the last state of a table."""

    words: str
    at: At
    claims: tuple[str, ...]
    make: Callable[[Case, FaultPlace], Case | None]
    compares_files: bool = False
    """Whether it takes something from another file of the table."""

    @property
    def of_bounds(self) -> bool:
        return self.claims in (CONTAINED, TIGHT, PRESENT)

    @property
    def of_rows(self) -> bool:
        """Whether it is in the rows that are shown, which are compared by columns of the table."""
        return self.claims == ROWS

    def __str__(self) -> str:
        return self.words


CONTAINED, TIGHT, PRESENT = ("bounds_contain_values",), ("bounds_are_tight",), ("bounds_are_present",)
VALUES, NULLS, NANS = ("value_counts_are_exact",), ("null_counts_are_exact",), ("nan_counts_are_exact",)
ROWS = ("values_are_those_of_the_source", "no_row_is_missing", "no_row_is_stale")
TUPLES = ("tuples_equal_every_row",)

ERRORS = (
    Error("a lower bound above a value", At.COLUMN, CONTAINED, partial(bound, side="lower", beyond="max")),
    Error("an upper bound below a value", At.COLUMN, CONTAINED, partial(bound, side="upper", beyond="min")),
    Error("a bound as wide as the table", At.COLUMN, TIGHT, wide_bound, compares_files=True),
    Error("a bound that is missing", At.COLUMN, PRESENT, no_bound),
    Error("a null count of 0 for nulls", At.COLUMN, NULLS, no_null),
    Error("a null count too high", At.COLUMN, NULLS, partial(count_too_high, metric="null_count")),
    Error("a value count too high", At.COLUMN, VALUES, partial(count_too_high, metric="value_count")),
    Error("a NaN count too high", At.COLUMN, NANS, partial(count_too_high, metric="nan_count")),
    Error("a value of another row", At.COLUMN, ROWS, other_value),
    Error("a column that is lost", At.COLUMN, ROWS, lost_column),
    Error("a column that was dropped", At.COLUMN, ("no_column_is_left_over",), column_left_over),
    Error("the tuple of another file", At.FIELD, TUPLES, tuple_of_another_file, compares_files=True),
    Error("null for a tuple", At.FIELD, TUPLES, no_tuple),
    Error("a spec without the field", At.FIELD, ("spec_is_the_configured_one",), spec_without_field),
    Error(
        "a record count too high",
        At.FILE,
        ("record_counts_are_exact",),
        partial(one_more_of_file, what="record_count"),
    ),
    Error("a file size too high", At.FILE, ("sizes_are_exact",), partial(one_more_of_file, what="size")),
    Error("a file that is lost", At.FILE, ("no_file_is_missing",), lost_file),
    Error("a file that stays", At.FILE, ("no_file_is_stale",), stale_file),
    Error("a file listed twice", At.FILE, ("no_file_is_listed_twice",), listed_twice, compares_files=True),
)

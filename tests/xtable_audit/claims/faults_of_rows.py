"""Faults of rows: of what the source shows, of files that bring rows twice or not at all, and of their layout."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tests.tables.draft import Draft, Fault
from tests.tables.typed import PARTITION
from tests.xtable_audit.claims import mutate
from xtable_audit.model.finding import Verdict
from xtable_audit.subject.case import Case

MISSING = {"no_row_is_missing": Verdict.UNSOUND}
TWICE = {"no_row_is_shown_twice": Verdict.DUPLICATE}
STALE = {"no_row_is_stale": Verdict.STALE}
VALUES = {"values_are_those_of_the_source": Verdict.UNSOUND}

ROW, PLACE = 3, 2
"""The source shows the last file's rows first."""
REPEATED = 6
COMMITTED = "_hoodie_commit_time"


def showing(change: Callable[[pa.Table], pa.Table]) -> Callable[[Draft], None]:
    """The source shows other rows."""

    def changed(case: Case) -> Case:
        assert case.source.shown is not None
        return replace(case, source=replace(case.source, shown=change(case.source.shown)))

    return lambda draft: draft.changes.append(changed)


def one_row_less(rows: pa.Table, row: int) -> pa.Table:
    return rows.take(np.delete(np.arange(rows.num_rows), row))


def one_row_more(rows: pa.Table, like: int) -> pa.Table:
    """One more row, that only the source has."""
    return pa.concat_tables([rows, other_value(other_value(rows.slice(like, 1), "record_key", 0), "long", 0)])


def other_value(rows: pa.Table, column: str, row: int) -> pa.Table:
    """Another value in one row, where there is such a column."""
    if column not in rows.column_names:
        return rows
    place = rows.column_names.index(column)
    values = rows[column].combine_chunks()
    here = np.arange(rows.num_rows) == row
    if pa.types.is_integer(values.type):
        other = pc.add(values, 1)
    else:
        other = pc.binary_join_element_wise(values.cast(pa.string()), "0", "").cast(values.type)
    return rows.set_column(place, column, pc.if_else(pa.array(here), other, values))


def null_value(rows: pa.Table, column: str, row: int) -> pa.Table:
    values = rows[column].combine_chunks()
    here = pa.array(np.arange(rows.num_rows) == row)
    return rows.set_column(rows.column_names.index(column), column, pc.if_else(here, None, values))


def of_another_commit(rows: pa.Table) -> pa.Table:
    return other_value(other_value(rows, "long", ROW), COMMITTED, ROW)


def _of(table: str, *, keyed: bool) -> Iterator[Fault]:
    differs = VALUES if keyed else MISSING | STALE
    yield Fault("a row more at the source", table, showing(partial(one_row_more, like=ROW)), MISSING, ())
    yield Fault("a row less at the source", table, showing(partial(one_row_less, row=ROW)), STALE, (PLACE,))
    yield Fault("a row twice, at the source once", table, showing(partial(one_row_less, row=REPEATED)), TWICE, (PLACE,))
    for column in ("long", "string"):
        changed = showing(partial(other_value, column=column, row=ROW))
        yield Fault(f"another {column}", table, changed, differs, (PLACE,), column if keyed else None)
    gone = showing(partial(null_value, column="double", row=ROW))
    yield Fault("a double null at the source", table, gone, differs, (PLACE,), "double" if keyed else None)
    yield Fault(
        "a column that the source has alone",
        table,
        showing(lambda rows: rows.append_column("alone", rows["int"])),
        VALUES,
        (0, 1, 2),
        "alone",
    )
    yield Fault(
        "a column of another kind at the source",
        table,
        showing(lambda rows: rows.set_column(rows.column_names.index("int"), "int", rows["int"].cast(pa.string()))),
        differs,
        (0, 1, 2),
        "int" if keyed else None,
    )
    yield Fault(
        "a file dropped, and its rows with it",
        table,
        partial(mutate.drop_file, place=1),
        MISSING | {"no_file_is_missing": Verdict.UNSOUND},
        (),
    )
    yield Fault(
        "a file doubled, and its rows with it",
        table,
        partial(mutate.double_file, place=1),
        TWICE | {"no_file_is_listed_twice": Verdict.DUPLICATE},
        (1, 3),
    )


def keeping_beside(draft: Draft) -> None:
    """The source's rows are not read, and its log says what it keeps beside one data file."""
    beside = {draft.path(PLACE): "2 deletes in its deletion vector"}

    def changed(case: Case) -> Case:
        return replace(case, rows=None, source=replace(case.source, shown=None, beside=beside))

    draft.changes.append(changed)


FAULTS = (
    Fault("deletes beside a data file", "shown", keeping_beside, STALE, (PLACE,)),
    *_of("shown", keyed=False),
    *_of("keyed", keyed=True),
    Fault("a row of another commit", "keyed", showing(of_another_commit), STALE, (PLACE,)),
)


# Faults of the layout: of values, not of metadata. Each is a table of its own, with correct metadata.

OVERLAP, ONE_VALUE = "files_do_not_overlap", "every_file_holds_one_value_of_its_own"
File = dict[str, list[object]]


@dataclass(frozen=True, eq=False)
class Layout:
    """The files of a table by their rows, and for each claim the files that break it."""

    id: str
    files: tuple[File, ...]
    touches: Mapping[str, set[int]]

    @property
    def breaks(self) -> Mapping[str, Verdict]:
        return dict.fromkeys(self.touches, Verdict.LOOSE)

    def __str__(self) -> str:
        return self.id


def _file(numbers: list[object], *regions: object) -> File:
    return {"int": numbers, PARTITION: [regions[n % len(regions)] for n in range(len(numbers))]}


HEALTHY = Layout("files side by side", (_file([1, 3], "a"), _file([4, 6], "b"), _file([7, 9], "c")), {})

LAYOUTS = (
    Layout(
        "two files share one value", (_file([1, 4], "a"), _file([4, 6], "b"), _file([7, 9], "c")), {OVERLAP: {0, 1}}
    ),
    Layout("one file spans all", (_file([1, 99], "a"), _file([4, 6], "b"), _file([7, 9], "c")), {OVERLAP: {0, 1, 2}}),
    Layout(
        "last file reaches back", (_file([1, 3], "a"), _file([4, 6], "b"), _file([2, 9], "c")), {OVERLAP: {0, 1, 2}}
    ),
    Layout(
        "two files of one region",
        (_file([1, 3], "a"), _file([4, 6], "a"), _file([7, 9], "c")),
        {OVERLAP: {0, 1}, ONE_VALUE: {0, 1}},
    ),
    Layout(
        "a file of two regions", (_file([1, 3], "a"), _file([4, 6], "b", "c"), _file([7, 9], "d")), {ONE_VALUE: {1}}
    ),
    Layout(
        "a file of a region and nulls",
        (_file([1, 3], "a"), _file([4, 6], "b", None), _file([7, 9], "c")),
        {ONE_VALUE: {1}},
    ),
)

"""The rows of the Iceberg table against those that the source's own engine returns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.claims.deviation import FALSE, Deviation
from xtable_audit.claims.needs import EITHER_ROWS, ROWS, ROWS_OR_BESIDE, SOURCE_ROWS
from xtable_audit.claims.translation.files import milder_for_missing
from xtable_audit.model.claim import claim
from xtable_audit.model.columns import COMMITTED, HUDIS_OWN
from xtable_audit.model.figures import many
from xtable_audit.model.finding import Verdict
from xtable_audit.model.scalars import show
from xtable_audit.subject.case import Case
from xtable_audit.subject.table_rows import Rows
from xtable_audit.values.value_codes import Comparison, Numbers, Pair, compare, numbered

SPEC = "the rows of the live data files, none of them skipped, are the rows of the source"
KEY = "record_key"
DESCRIBING = 4
"""Maximum number of columns that describe a row."""


@dataclass(frozen=True)
class Sides:
    """Both tables, and their common columns coded as numbers."""

    rows: Rows
    shown: pa.Table
    columns: dict[str, Pair]
    key: tuple[str, ...]
    found: Comparison

    def of_file(self, ours: Numbers) -> tuple[int, ...]:
        """Places of the files that hold these rows."""
        return tuple(int(place) for place in np.unique(np.asarray(self.rows.place)[ours]))

    def least(self, table: pa.Table, rows: Numbers) -> int:
        """The first of these rows by its key columns, because the order of rows in files varies between runs."""
        keys = table.select(self.key[:DESCRIBING]).take(pa.array(rows, pa.int64()))
        by = [(name, "ascending") for name in keys.column_names if not pa.types.is_nested(keys[name].type)]
        return int(rows[pc.sort_indices(keys, sort_keys=by)[0].as_py() if by else 0])

    def ours(self, row: int) -> str:
        return _words(self.rows.values, self.key, row)

    def theirs(self, row: int) -> str:
        return _words(self.shown, self.key, row)


@claim("every row that the source shows is shown", needs=SOURCE_ROWS, spec=SPEC, breaks=Verdict.UNSOUND)
def no_row_is_missing(case: Case) -> Iterator[Deviation]:
    """UNREADABLE if the files that hold them are named at an address where no object is: readers raise. Else STALE if
    the last sync failed: the translator says then that newer rows are missing.
    """
    milder = milder_for_missing(case)
    for sides in _sides(case):
        missing = sides.found.missing
        if len(missing):
            saw = f"{len(missing)} of the source's {many(sides.shown.num_rows, 'row')} are in no live file"
            expected = f"{sides.theirs(sides.least(sides.shown, missing))}, as the source shows it"
            yield Deviation((), saw, expected, verdict=milder, rows=len(missing))


@claim("no row is shown more often than the source shows it", needs=ROWS, spec=SPEC, breaks=Verdict.DUPLICATE)
def no_row_is_shown_twice(case: Case) -> Iterator[Deviation]:
    for sides in _sides(case):
        surplus = sides.found.surplus
        if len(surplus):
            such = sides.ours(sides.least(sides.rows.values, surplus))
            saw = f"{many(len(surplus), 'row')} once too often, such as {such}"
            yield Deviation(
                sides.of_file(sides.found.repeated),
                saw,
                f"{many(sides.shown.num_rows, 'row')}, as the source shows them",
                rows=len(surplus),
            )


@claim("every row that is shown is the source's newest", needs=ROWS_OR_BESIDE, spec=SPEC, breaks=Verdict.STALE)
def no_row_is_stale(case: Case) -> Iterator[Deviation]:
    """Rows whose key the source lacks, and rows of another commit than the source's row with that key.

    If the source's rows are not read, the files of which it keeps updates or deletes elsewhere. The control does
    not acquit: it takes data files alone, too, so that its rows are as stale.
    """
    if case.source.shown is None:
        yield from _outdated(case)
    for sides in _sides(case):
        gone = sides.found.foreign
        if len(gone):
            row = sides.least(sides.rows.values, gone)
            saw = f"{many(len(gone), 'row')} that the source does not show, such as {sides.ours(row)}"
            expected = f"{many(sides.shown.num_rows, 'row')}, as the source shows them"
            yield Deviation(sides.of_file(gone), saw, expected, rows=len(gone), kind=FALSE)
        ours, theirs = _unlike(sides, older=True)
        if len(ours):
            row = sides.least(sides.rows.values, ours)
            commit = sides.shown[COMMITTED][int(theirs[np.flatnonzero(ours == row)[0]])]
            saw = f"{many(len(ours), 'row')} with values of another commit, such as {sides.ours(row)}"
            expected = f"commit {commit} of that row"
            yield Deviation(sides.of_file(ours), saw, expected, rows=len(ours), kind=FALSE)


def _outdated(case: Case) -> Iterator[Deviation]:
    beside = case.source.beside or {}
    places = tuple(place for place, path in enumerate(case.stored.paths) if path in beside)
    if beside:
        path, words = min(beside.items())
        saw = f"the source keeps {words} of {path.rpartition('/')[2]}, which readers of this table do not see"
        more = f" ({many(len(beside), 'file')} alike)" if len(beside) > 1 and not places else ""
        yield Deviation(places, saw + more, "the rows with every update and delete of the source")


@claim("every value that is shown is the source's", needs=EITHER_ROWS, spec=SPEC, breaks=Verdict.UNSOUND)
def values_are_those_of_the_source(case: Case) -> Iterator[Deviation]:
    """Compares rows with equal keys by column. Without a key, a changed row is one stale and one missing row.

    STALE if the last sync failed, unless both are of one commit: the translator says then that the table is late.
    """
    late = Verdict.STALE if case.behind else None
    for sides in _sides(case):
        undated = None if _have_commits(sides) else late
        of_paths = {column.rpartition(".")[2] for column in case.source.partition_by if "." in column}
        for name in sorted(_columns(sides.shown) - _columns(sides.rows.values) - of_paths):
            every = tuple(range(case.stored.files.num_rows))
            yield Deviation(
                every,
                "no such column",
                f"{sides.shown.schema.field(name).type}, as the source has it",
                name,
                late,
                rows=sides.shown.num_rows,
            )
        ours, theirs = _unlike(sides, older=False)
        for name, (mine, yours) in sides.columns.items():
            wrong = np.flatnonzero(mine[ours] != yours[theirs])
            if len(wrong):
                row = sides.least(sides.rows.values, ours[wrong])
                other = int(theirs[wrong][np.flatnonzero(ours[wrong] == row)[0]])
                saw = f"{show(_value(sides.rows.values, name, row))} for {sides.ours(row)}"
                expected = f"{show(_value(sides.shown, name, other))}, as the source shows it"
                yield Deviation(sides.of_file(ours[wrong]), saw, expected, name, undated, rows=len(set(ours[wrong])))


def _sides(case: Case) -> Iterator[Sides]:
    """Yields nothing if the source's rows are unknown or a file is set aside."""
    shown = case.source.shown
    if shown is None or case.stored.files_set_aside:
        return
    shown = shown.drop_columns(sorted(case.stored.columns_set_aside & set(shown.column_names)))
    assert case.rows is not None, f"{case.id}: the source's rows are known, and Iceberg's were not read"
    names = sorted((_columns(case.rows.values) & _columns(shown)) - _from_paths(case))
    columns = {name: numbered(case.rows.values[name], shown[name]) for name in names}
    key = (KEY,) if KEY in columns else tuple(names)
    nothing = {"": (np.zeros(case.rows.values.num_rows, np.int64), np.zeros(shown.num_rows, np.int64))}
    yield Sides(case.rows, shown, columns, key, compare(columns or nothing, key or tuple(nothing)))


def _from_paths(case: Case) -> set[str]:
    """Partition columns that the files hold too. Hudi's own reader takes them from paths and may misread these, so they
    are not compared; another claim compares files with tuples.
    """
    return {name for name in case.source.partition_by if any(case.actual.held.get(name, pa.array([])).to_pylist())}


def _unlike(sides: Sides, *, older: bool) -> Pair:
    """Rows with equal keys that differ: with `older`, those of different commits, else those of the same commit."""
    ours, theirs = sides.found.unlike
    if not _have_commits(sides):
        same = np.ones(len(ours), dtype=bool)
    else:
        mine, yours = numbered(sides.rows.values[COMMITTED], sides.shown[COMMITTED])
        same = mine[ours] == yours[theirs]
    chosen = ~same if older else same
    return ours[chosen], theirs[chosen]


def _have_commits(sides: Sides) -> bool:
    return all(COMMITTED in table.column_names for table in (sides.rows.values, sides.shown))


def _columns(table: pa.Table) -> set[str]:
    return {name for name in table.column_names if not name.startswith(HUDIS_OWN)}


def _words(table: pa.Table, key: tuple[str, ...], row: int) -> str:
    """A row described by its key, or by its first columns."""
    shown = key[:DESCRIBING]
    more = " …" if len(key) > len(shown) else ""
    return ", ".join(f"{name} {show(_value(table, name, int(row)))}" for name in shown) + more


def _value(table: pa.Table, name: str, row: int) -> pa.Scalar:
    return table[name][row]

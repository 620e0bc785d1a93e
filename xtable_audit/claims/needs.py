"""Needs of the claims about a table of any format. Most stop at the first thing to compare."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.model.claim import Need
from xtable_audit.model.scalars import Mask
from xtable_audit.subject.case import Case, Part, State
from xtable_audit.table.partitions import TransformKind
from xtable_audit.table.stored_metrics import StoredMetrics

Column = tuple[pa.Table, pa.Table, pa.Array]
"""Stored metrics and actual values of one column, one row per file, and whether the file itself holds the column."""


def unread(part: Part, where: Callable[[Case], object] = lambda case: True) -> Callable[[Case], bool]:
    """Whether that part of the table is not read, and something of the table asks for it: `where` is true."""
    return lambda case: part in case.unread and bool(where(case))


VALUES_UNREAD, ROWS_UNREAD, BESIDE_UNREAD = (unread(part) for part in (Part.VALUES, Part.ROWS, Part.BESIDE))
COLUMNS_UNREAD = unread(Part.VALUES, lambda case: case.stored.columns)


def read(where: Callable[[Case], object] = lambda case: True) -> Need[Case]:
    """The need of a claim that looks at data files, though its other needs are met by the metadata. It comes last."""
    return Need("the values of the data files", lambda case: True, waits=unread(Part.VALUES, where))


READ = read()


def _somewhere(mask: Callable[[Column], object]) -> Callable[[Case], bool]:
    """Whether `mask` is true of some file in some column. Stops at the first such column."""
    return lambda case: any(np.any(np.asarray(mask(column))) for column in _columns(case))


def _columns(case: Case) -> Iterator[Column]:
    for column, stored in case.stored.columns.items():
        yield stored, case.actual.columns[column], case.actual.held[column]


def _has_bound(stored: pa.Table) -> pa.ChunkedArray:
    return pc.or_(pc.is_valid(stored["lower"]), pc.is_valid(stored["upper"]))


def _zero_beside_zero(column: Column) -> object:
    stored, actual, _ = column
    if not pa.types.is_floating(stored["lower"].type):
        return ()
    pairs = ((stored["lower"], actual["min"]), (stored["upper"], actual["max"]))
    return np.logical_or.reduce([(np.asarray(bound) == 0) & (np.asarray(value) == 0) for bound, value in pairs])


class OfTable(Protocol):
    """What a claim compares with the rows of one table."""

    @property
    def stored(self) -> StoredMetrics: ...


EVERY_FILE_READ = Need[OfTable](
    "the live rows of every data file",
    lambda subject: not subject.stored.files_set_aside,
    why=lambda subject: next(str(one) for one in subject.stored.set_aside if one.path is not None),
)
"""For claims that compare a whole with the rows of the data files."""
NO_DELETES = Need[OfTable]("data files without row-level deletes", lambda subject: not subject.stored.deletions.applied)

LIVE_FILES = Need[Case]("a live data file", lambda case: case.stored.files.num_rows)
READABLE_FILES = Need[Case](
    "a live data file that exists",
    lambda case: case.actual.files.num_rows - case.actual.files["record_count"].null_count,
    waits=VALUES_UNREAD,
)
EXISTING_FILES = Need[Case](
    "a live data file that exists",
    lambda case: case.actual.files.num_rows - case.actual.files["size"].null_count,
    waits=VALUES_UNREAD,
)
COUNTED_FILES = Need[Case](
    "a live data file whose rows can be counted",
    lambda case: (
        pc.sum(pc.and_(case.stored.files["record_count"].is_valid(), counted_rows(case).is_valid())).as_py() or 0
    ),
    waits=VALUES_UNREAD,
)


def counted_rows(case: Case) -> pa.ChunkedArray:
    """The rows of each data file, also of those whose values are not read; null if they are not counted."""
    return pc.coalesce(case.actual.files["record_count"], case.actual.files["counted"])


BOUNDS = Need[Case](
    "a stored bound",
    lambda case: bool(case.stored.undecodable) or _somewhere(lambda column: _has_bound(column[0]))(case),
    waits=unread(Part.VALUES, lambda case: case.stored.columns and not case.stored.undecodable),
)
BOUNDS_OF_VALUES = Need[Case](
    "a stored bound of a column that holds values",
    _somewhere(lambda column: pc.and_(_has_bound(column[0]), pc.is_valid(column[1]["min"]))),
    waits=COLUMNS_UNREAD,
)
VALUES = Need[Case](
    "a data file with values",
    _somewhere(lambda column: np.asarray(column[2]) & np.asarray(pc.is_valid(column[1]["min"]))),
    waits=COLUMNS_UNREAD,
)
NO_VALUES = Need[Case](
    "a column that holds no value in some file",
    _somewhere(lambda column: pc.and_(pc.is_valid(column[1]["value_count"]), pc.is_null(column[1]["min"]))),
    waits=COLUMNS_UNREAD,
)
FLOAT_BOUNDS = Need[Case](
    "a stored bound of a float or double column",
    _somewhere(lambda column: _has_bound(column[0]) if pa.types.is_floating(column[0]["lower"].type) else ()),
    waits=COLUMNS_UNREAD,
)
ZERO_BOUNDS = Need[Case](
    "a float or double column with a bound of zero, and zero as its smallest or largest value",
    _somewhere(_zero_beside_zero),
    waits=COLUMNS_UNREAD,
)
COUNTED = Need[Case](
    "a column of a data file",
    _somewhere(
        lambda column: (
            np.asarray(pc.is_valid(column[1]["value_count"]))
            & (np.asarray(pc.is_valid(column[0]["value_count"])) | np.asarray(column[2]))
        )
    ),
    waits=COLUMNS_UNREAD,
)
NULLS_COUNTED = Need[Case](
    "a column of a data file",
    _somewhere(
        lambda column: (
            np.asarray(pc.is_valid(column[1]["null_count"]))
            & (np.asarray(pc.is_valid(column[0]["null_count"])) | np.asarray(column[2]))
        )
    ),
    waits=COLUMNS_UNREAD,
)
NANS_COUNTED = Need[Case](
    "a stored NaN count",
    _somewhere(lambda column: pc.and_(pc.is_valid(column[0]["nan_count"]), pc.is_valid(column[1]["nan_count"]))),
    waits=COLUMNS_UNREAD,
)


def _columns_that_differ(case: Case) -> bool:
    extremes = (case.actual.columns[column] for column in case.stored.columns)
    return any(any(pc.count_distinct(of[side]).as_py() > 1 for side in ("min", "max")) for of in extremes)


COLUMNS_THAT_DIFFER = Need[Case](
    "a column whose values differ from file to file", _columns_that_differ, waits=COLUMNS_UNREAD
)


def _untold(case: Case) -> str:
    return case.source.untold


def _untold_rows(case: Case) -> str:
    return case.source.untold or case.source.untold_rows


SOURCE = Need[Case]("a source that is known", lambda case: int(case.source.known), why=_untold)
CONFIGURED_SPEC = Need[Case](
    "the partition spec that the translation was configured for", lambda case: int(case.source.spec is not None)
)
STATED_TRANSFORMS = Need[Case](
    "a partition spec that says how its values are made, which a key generator of Hudi's does not",
    lambda case: int(case.stored.partitioning.states_transforms),
)
BASE_FILES = Need[Case]("a base file of the source", lambda case: len(case.source.base_files), why=_untold)
SOURCE_ROWS = Need[Case](
    "a row that the source's own engine shows",
    lambda case: 0 if case.source.shown is None or case.rows is None else case.source.shown.num_rows,
    why=_untold_rows,
    waits=ROWS_UNREAD,
)
ROWS = Need[Case](
    "a row, and the rows that the source's own engine shows",
    lambda case: 0 if case.source.shown is None or case.rows is None else case.rows.values.num_rows,
    why=_untold_rows,
    waits=ROWS_UNREAD,
)
SOURCE_COLUMNS = Need[Case](
    "the columns that the source's own engine shows", lambda case: len(case.source.columns or ()), why=_untold
)
EITHER_ROWS = Need[Case](
    "a row, and the rows that the source's own engine shows",
    lambda case: SOURCE_ROWS.count(case) + ROWS.count(case),
    why=_untold_rows,
    waits=ROWS_UNREAD,
)
ROWS_OR_BESIDE = Need[Case](
    "a row, and the rows that the source's own engine shows",
    lambda case: ROWS.count(case) or len(case.source.beside or ()),
    why=_untold_rows,
    waits=ROWS_UNREAD,
)
OF_ROWS: tuple[Need[Case], ...] = (SOURCE_ROWS, ROWS, EITHER_ROWS, ROWS_OR_BESIDE)
"""Needs of the claims that compare rows with the source's."""
OF_SOURCE: tuple[Need[Case], ...] = (SOURCE, BASE_FILES, SOURCE_COLUMNS, *OF_ROWS)
"""Needs that a source meets whose state is known."""


def _partition_tuples(case: Case) -> int:
    """Number of tuple values: one per file and field of the file's spec."""
    return sum(
        int(np.count_nonzero(case.stored.under(one)))
        for one in case.stored.partitionings
        for field in one.spec
        if field.transform.kind is not TransformKind.UNKNOWN
    )


def _partition_summaries(case: Case) -> int:
    summaries = (summary for one in case.stored.partitionings for summary in one.summaries.values())
    return sum(pc.sum(summary["present"]).as_py() or 0 for summary in summaries)


PARTITION_TUPLES = Need[Case]("a partition tuple", _partition_tuples)
PARTITION_SUMMARIES = Need[Case]("a partition summary in the manifest list", _partition_summaries)
LAID_OUT = Need[Case](
    "two files, and a column that they are laid out by",
    lambda case: (
        max(0, case.stored.files.num_rows - 1) * len(case.source.separates or case.source.partition_by)
        if case.source.laid_out
        else 0
    ),
)

FORMATS = Need[Case](
    "a live data file whose format is known",
    lambda case: len(case.actual.files) - case.actual.files["format"].null_count,
    waits=VALUES_UNREAD,
)
SORT_ORDERS = Need[Case](
    "a data file with a sort_order_id", lambda case: len(case.stored.files) - case.stored.files["sort_order"].null_count
)
ORDERED_FILES = Need[Case](
    "a data file with a sort order that is judged",
    lambda case: len(case.actual.files) - case.actual.files["unordered"].null_count,
    waits=VALUES_UNREAD,
)
SPLIT_OFFSETS = Need[Case](
    "a Parquet file with split offsets whose row groups are known",
    lambda case: int(np.count_nonzero(splits(case) & np.asarray(case.actual.files["groups"].is_valid()))),
    waits=VALUES_UNREAD,
)


def splits(case: Case) -> Mask:
    """Marks the files with split offsets."""
    return np.asarray(pc.greater(pc.list_value_length(case.stored.files["split_offsets"]), 0).fill_null(False))


COLUMN_SIZES = Need[Case](
    "a stored column size of a file that exists",
    lambda case: any(
        np.any(np.asarray(pc.and_(pc.is_valid(sizes), pc.is_valid(case.actual.columns[column]["value_count"]))))
        for column, sizes in case.stored.column_sizes.items()
    ),
    waits=unread(Part.VALUES, lambda case: case.stored.column_sizes),
)


def _states(case: Case, chosen: Callable[[State], bool]) -> list[State]:
    return [state for state in case.history if chosen(state)]


def came_through(case: Case) -> list[tuple[State, StoredMetrics]]:
    """States after successful syncs, except the current one."""
    judged = case.stored.metadata_location
    return [
        (state, state.stored)
        for state in case.history
        if state.sync.failure is None and state.stored is not None and state.stored.metadata_location != judged
    ]


EARLIER_STATES = Need[Case]("a sync that left an earlier state of the table", lambda case: len(came_through(case)))
EARLIER_ROWS = Need[Case](
    "a sync that left an earlier state without row-level deletes, and the source's rows at that time",
    lambda case: sum(state.rows is not None and not stored.deletions.applied for state, stored in came_through(case)),
)
EARLIER_SNAPSHOT_ROWS = Need[Case](
    "a sync that left an earlier state of a MERGE_ON_READ source, and the rows of its snapshot view at that time",
    lambda case: sum(
        state.snapshot_rows is not None and not stored.deletions.applied for state, stored in came_through(case)
    ),
)
OF_EARLIER_STATES = (EARLIER_STATES, EARLIER_ROWS, EARLIER_SNAPSHOT_ROWS)
"""Which states these are depends on the syncs that follow: the newest state is none of them."""
SUCCESSES = Need[Case](
    "a sync that reports success", lambda case: len(_states(case, lambda state: state.sync.failure is None))
)
FAILURES = Need[Case](
    "a sync that fails", lambda case: sum(state.sync.failure is not None for _, state in in_turn(case))
)
IDLE = Need[Case](
    "a sync without new commits, and the table before it",
    lambda case: sum(state.sync.kind == "idle" for _, state in in_turn(case)),
    why=lambda case: case.removed_states,
)
WATCHED = Need[Case](
    "a sync before and after which the source was listed",
    lambda case: len(_states(case, lambda state: state.sync.touched is not None)),
)
FULL = Need[Case](
    "a full sync, and what incremental syncs left before it",
    lambda case: 0 if _is_removed(case) else len(_states(case, lambda state: state.sync.kind == "full")),
    why=lambda case: case.removed_states,
)


def _is_removed(case: Case) -> bool:
    """Whether what the last incremental sync left is not there any more, so that a later state is judged."""
    return [state.expired for state in case.history if state.sync.kind in ("first", "incremental")][-1:] == [True]


def in_turn(case: Case) -> Iterator[tuple[StoredMetrics | None, State]]:
    """Each sync with the table's state before it, without those before which nobody knows it: it was removed since."""
    before: StoredMetrics | None = None
    known = True
    for state in case.history:
        if known:
            yield before, state
        known = state.stored is not None or (known and not state.expired)
        before = state.stored or before


def by_this_release(case: Case) -> list[State]:
    """States after syncs by the release under audit: after an upgrade in place, without the first sync."""
    return _states(
        case, lambda state: state.sync.kind != "first" or state.sync.release == case.history[-1].sync.release
    )

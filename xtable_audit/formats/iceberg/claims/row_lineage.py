"""Row ids (format version 3), which readers use to follow a row through the table's snapshots."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.claims.deviation import Deviation, deviation, file_name
from xtable_audit.claims.needs import VALUES_UNREAD
from xtable_audit.formats.iceberg.iceberg_table import LAST_UPDATED, ROW_ID, RowIds, iceberg_of, next_row_id, row_ids
from xtable_audit.formats.iceberg.manifests import DATA, Manifest
from xtable_audit.model import rules
from xtable_audit.model.claim import Need, claim
from xtable_audit.model.finding import Verdict
from xtable_audit.model.scan_input import WantedColumn
from xtable_audit.subject.case import Case


def _ids(case: Case) -> list[RowIds]:
    return list(row_ids(iceberg_of(case.stored).manifests))


def _numbered(case: Case) -> bool:
    """Whether the current snapshot assigns row ids: it was made in format version 3."""
    current = iceberg_of(case.stored).metadata.current_snapshot()
    return current is not None and current.first_row_id is not None


ROW_IDS = Need[Case]("a live data file with row ids", lambda case: len(_ids(case)))
NUMBERED = Need[Case](
    "a manifest of a snapshot with a first-row-id",
    lambda case: _numbered(case) and len(iceberg_of(case.stored).manifests),
)
SNAPSHOTS_WITH_ROW_IDS = Need[Case](
    "a snapshot with a first-row-id",
    lambda case: sum(one.first_row_id is not None for one in iceberg_of(case.stored).metadata.snapshots),
)


@claim("no two live rows have one row id", needs=ROW_IDS, spec=rules.ROW_ID, breaks=Verdict.UNSOUND)
def row_ids_are_unique(case: Case) -> Iterator[Deviation]:
    """By the ids that metadata assigns. A row may have another one in its file, of the file that it was moved from."""
    ranges = sorted((one for one in _ids(case) if one.rows), key=lambda one: (one.first, one.end))
    for one, other in pairwise(ranges):
        if other.first < one.end and other.path != one.path:
            saw = f"row ids from {other.first} for {file_name(case, other.place)}"
            expected = f"{one.end} or more: {file_name(case, one.place)} has those up to there"
            yield Deviation((one.place, other.place), saw, expected, whole=True)


HELD_ROW_IDS = Need[Case]("a data file that holds row ids", lambda case: _holding(case, ROW_ID), waits=VALUES_UNREAD)
HELD_UPDATES = Need[Case](
    "a data file that holds the sequence numbers of its rows' last updates",
    lambda case: _holding(case, LAST_UPDATED),
    waits=VALUES_UNREAD,
)


def _holding(case: Case, column: WantedColumn) -> int:
    """Number of files with a value of that column."""
    extremes = case.actual.columns.get(column.path)
    return 0 if extremes is None else len(extremes) - int(extremes["min"].null_count)


@claim(
    "every row id that a data file holds is one that the table has assigned",
    needs=HELD_ROW_IDS,
    spec=rules.NEXT_ROW_ID,
    breaks=Verdict.UNSOUND,
)
def held_row_ids_are_assigned(case: Case) -> Iterator[Deviation]:
    """A row that is moved keeps its id, in its file. One that the table has not assigned yet is assigned once more."""
    if not _holding(case, ROW_ID):
        return
    end = next_row_id(iceberg_of(case.stored).metadata)
    true = case.actual.columns[ROW_ID.path]
    beyond = (
        pc.less(true["min"], 0) if end is None else pc.or_(pc.less(true["min"], 0), pc.greater_equal(true["max"], end))
    )
    yield from deviation(
        beyond,
        saw=lambda i: f"row ids {true['min'][i]} … {true['max'][i]} in {file_name(case, i)}",
        expected=lambda i: "0 or more" + ("" if end is None else f", and less than {end}, the next-row-id"),
    )


@claim(
    "no row of a data file was last updated after the commit that added the file",
    needs=HELD_UPDATES,
    spec=rules.LAST_UPDATED,
    breaks=Verdict.COSMETIC,
)
def rows_are_no_newer_than_their_file(case: Case) -> Iterator[Deviation]:
    """Engines show the number as it is. Of an expired commit, the table's last sequence number is the bound."""
    if not _holding(case, LAST_UPDATED):
        return
    metadata = iceberg_of(case.stored).metadata
    newest = 0 if metadata.format_version == 1 else metadata.last_sequence_number
    numbers = {one.snapshot_id: one.sequence_number or 0 for one in metadata.snapshots}
    added = {
        path: numbers.get(snapshot, newest)
        for one in iceberg_of(case.stored).manifests
        if one.listed.get("content", DATA) == DATA
        for path, snapshot in zip(one.live["file_path"].to_pylist(), one.live["snapshot"].to_pylist(), strict=True)
    }
    true = case.actual.columns[LAST_UPDATED.path]
    most = pa.array([added[path] for path in case.stored.paths], pa.int64())
    yield from deviation(
        pc.or_(pc.less(true["min"], 0), pc.greater(true["max"], most)),
        saw=lambda i: f"last updates {true['min'][i]} … {true['max'][i]} in {file_name(case, i)}",
        expected=lambda i: f"0 to {most[i]}, the sequence number of its commit",
    )


@claim("next-row-id is higher than every row id", needs=ROW_IDS, spec=rules.NEXT_ROW_ID, breaks=Verdict.UNSOUND)
def next_row_id_is_higher(case: Case) -> Iterator[Deviation]:
    """The next commit assigns the ids from next-row-id on: once more, if it is too low."""
    stored = next_row_id(iceberg_of(case.stored).metadata)
    high = [one for one in _ids(case) if one.rows and (stored is None or one.end > stored)]
    if high:
        places = tuple(one.place for one in high)
        yield Deviation(
            places, f"next-row-id {stored}", f"{max(one.end for one in high)} or more, by its files", whole=True
        )


@claim(
    "every manifest of data files has a first_row_id, and none of delete files",
    needs=NUMBERED,
    spec=rules.MANIFEST_ROW_IDS,
    breaks=Verdict.FAILED_SILENTLY,
)
def manifests_have_first_row_ids(case: Case) -> Iterator[Deviation]:
    """Readers return null for the ids of rows without one. COSMETIC for manifests of delete files."""
    for manifest in iceberg_of(case.stored).manifests if _numbered(case) else ():
        of_data, first = manifest.listed.get("content", DATA) == DATA, manifest.listed.get("first_row_id")
        if of_data and first is None:
            yield _of_manifest(case, manifest, "no first_row_id", "the row id of its first new row")
        elif not of_data and first is not None:
            yield _of_manifest(case, manifest, f"first_row_id {first}", "none: it lists delete files", Verdict.COSMETIC)


@claim(
    "a manifest's first_row_id is at least the first-row-id of the snapshot that added it",
    needs=NUMBERED,
    spec=rules.FIRST_MANIFEST,
    breaks=Verdict.UNSOUND,
)
def manifests_take_their_snapshots_row_ids(case: Case) -> Iterator[Deviation]:
    """Lower ones were assigned before."""
    starts = {one.snapshot_id: one.first_row_id for one in iceberg_of(case.stored).metadata.snapshots}
    for manifest in iceberg_of(case.stored).manifests:
        stored, least = manifest.listed.get("first_row_id"), starts.get(manifest.listed["added_snapshot_id"])
        if stored is not None and least is not None and stored < least:
            expected = f"{least} or more, of snapshot {manifest.listed['added_snapshot_id']}"
            yield _of_manifest(case, manifest, f"first_row_id {stored}", expected)


@claim(
    "each snapshot's first-row-id is at least that of the snapshot before, and at most next-row-id",
    needs=SNAPSHOTS_WITH_ROW_IDS,
    spec=rules.SNAPSHOT_ROW_IDS,
    breaks=Verdict.UNSOUND,
)
def snapshots_take_row_ids_in_turn(case: Case) -> Iterator[Deviation]:
    """next-row-id never falls, on any branch."""
    metadata = iceberg_of(case.stored).metadata
    numbered = sorted(
        ((one.sequence_number or 0, one.first_row_id, one.snapshot_id) for one in metadata.snapshots),
        key=lambda one: one[0],
    )
    taken = [(first, id) for _, first, id in numbered if first is not None]
    for (before, _), (first, id) in pairwise(taken):
        if first < before:
            saw = f"first-row-id {first} of snapshot {id}"
            yield Deviation((), saw, f"{before} or more, that of the snapshot before", whole=True)
    most = next_row_id(metadata)
    for first, id in taken:
        if most is not None and first > most:
            saw = f"first-row-id {first} of snapshot {id}"
            yield Deviation((), saw, f"at most {most}, the next-row-id", whole=True)


@claim(
    "added-rows of the current snapshot is at least the number of rows that get ids by it",
    needs=NUMBERED,
    spec=rules.ADDED_ROWS,
    breaks=Verdict.COSMETIC,
)
def added_rows_cover_the_assigned_ones(case: Case) -> Iterator[Deviation]:
    current = iceberg_of(case.stored).metadata.current_snapshot()
    if current is None or current.first_row_id is None:
        return
    first = current.first_row_id
    rows = sum(one.rows for one in _ids(case) if one.assigned_by is not None and one.assigned_by >= first)
    if current.added_rows is None or current.added_rows < rows:
        saw = f"added-rows {'none' if current.added_rows is None else current.added_rows}"
        yield Deviation((), saw, f"{rows} or more, by its files", whole=True)


def _of_manifest(case: Case, manifest: Manifest, saw: str, expected: str, verdict: Verdict | None = None) -> Deviation:
    places = np.flatnonzero(pc.equal(case.stored.files["manifest"], manifest.path))
    name = manifest.path.rpartition("/")[2]
    return Deviation(tuple(map(int, places)), f"{saw} for {name}", expected, verdict=verdict, whole=True)

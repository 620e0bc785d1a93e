"""What ties each sync to the one before: the snapshot's parent, the table's uuid, the commit that was synced last."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from xtable_audit.claims.deviation import Deviation
from xtable_audit.claims.iceberg.needs import is_of_main
from xtable_audit.claims.needs import EARLIER_STATES, in_turn
from xtable_audit.claims.translation.history import SPEC, last_synced, when
from xtable_audit.metadata.iceberg_table import iceberg_of
from xtable_audit.model import rules
from xtable_audit.model.claim import Need, claim
from xtable_audit.model.finding import Verdict
from xtable_audit.subject.case import Case, State
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.table.synced import PROPERTY, Synced, synced_in

if TYPE_CHECKING:
    from pyiceberg.table.metadata import TableMetadata


@claim(
    "the snapshot of each sync descends from that of the sync before",
    needs=EARLIER_STATES,
    spec=rules.PARENT,
    breaks=Verdict.UNREADABLE,
    of="iceberg",
)
def snapshots_descend_from_those_before(case: Case) -> Iterator[Deviation]:
    """A stream that has read the earlier one finds no way to the later (Iceberg's Java, `SnapshotUtil.snapshotAfter`).

    Where the way leads through a snapshot that is expired, its end is not known.
    """
    for before, state, stored in _came_through(case):
        old, now = iceberg_of(before).metadata.current_snapshot_id, iceberg_of(stored).metadata.current_snapshot_id
        if None in (old, now) or now == old:
            continue
        if _end(iceberg_of(stored).metadata, now, old) is None:
            saw = f"snapshot {now} {when(state)}, which does not lead back to {old}"
            yield Deviation((), saw, f"a descendant of {old}, the snapshot of the sync before", whole=True)


def _end(metadata: TableMetadata, snapshot: int | None, old: int | None) -> int | None:
    """Where the way from parent to parent comes to the old one, or leaves the table; None if it ends before."""
    parents = {one.snapshot_id: one.parent_snapshot_id for one in metadata.snapshots}
    while snapshot in parents and snapshot != old:
        snapshot = parents.pop(snapshot)
    return snapshot


@claim(
    "the table keeps its table-uuid from sync to sync",
    needs=EARLIER_STATES,
    spec=rules.TABLE_UUID,
    breaks=Verdict.UNREADABLE,
    of="iceberg",
)
def uuid_stays_the_same(case: Case) -> Iterator[Deviation]:
    """A reader that has the table open fails (Iceberg's Java, `HadoopTableOperations.checkUUID`)."""
    for before, state, stored in _came_through(case):
        was, now = iceberg_of(before).metadata.table_uuid, iceberg_of(stored).metadata.table_uuid
        if was != now:
            yield Deviation((), f"table-uuid {now} {when(state)}", f"{was}, as before", whole=True)


def _by_snapshot(stored: StoredMetrics) -> Synced | None:
    """The commit that was synced last, by the current snapshot's summary; None if absent."""
    current = iceberg_of(stored).metadata.current_snapshot()
    summary = current.summary.additional_properties if current is not None and current.summary is not None else {}
    return synced_in(summary.get(PROPERTY, ""))


TOLD_TWICE = Need[Case](
    "the commit that was synced last, as a property of the table and of its current snapshot",
    lambda case: int(is_of_main(case) and None not in (last_synced(case.stored), _by_snapshot(case.stored))),
)


@claim(
    "the commit that was synced last is the same by the table's property and by the current snapshot",
    needs=TOLD_TWICE,
    spec=SPEC,
    breaks=Verdict.FAILED_SILENTLY,
    of="iceberg",
)
def last_commit_is_told_alike(case: Case) -> Iterator[Deviation]:
    """XTable continues after the property's: commits between the snapshot's and that one are in no later sync.
    COSMETIC if the snapshot's is the later.
    """
    of_table, of_snapshot = last_synced(case.stored), _by_snapshot(case.stored)
    if of_table is None or of_snapshot is None:
        return
    if (of_table.time, of_table.identifier) != (of_snapshot.time, of_snapshot.identifier):
        verdict = Verdict.COSMETIC if of_table.time < of_snapshot.time else None
        saw = f"{_commit(of_table)} by the table's property"
        yield Deviation((), saw, f"{_commit(of_snapshot)}, by the current snapshot", verdict=verdict, whole=True)


@claim(
    "a sync that changes the live files has come to another commit",
    needs=EARLIER_STATES,
    spec=SPEC,
    breaks=Verdict.FAILED_SILENTLY,
)
def last_commit_moves_on_with_the_files(case: Case) -> Iterator[Deviation]:
    """Else the next sync translates a commit once more."""
    for before, state, stored in _came_through(case):
        was, now = last_synced(before), last_synced(stored)
        is_the_same = state.sync.kind == "incremental" and was == now
        if was is not None and is_the_same and sorted(before.paths) != sorted(stored.paths):
            saw = f"other files {when(state)}, and {_commit(was)}"
            yield Deviation((), saw, "a later commit than before", whole=True)


def _commit(one: Synced) -> str:
    return f"commit {one.identifier or one.time.isoformat()}"


def _came_through(case: Case) -> Iterator[tuple[StoredMetrics, State, StoredMetrics]]:
    """Each sync that left a table, with the table before it."""
    for before, state in in_turn(case):
        if before is not None and state.stored is not None and state.sync.failure is None:
            yield before, state, state.stored
